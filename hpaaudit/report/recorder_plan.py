"""Words the plan of a recorder: what it would read, how much, and what it cannot read."""

from hpaaudit.model.counted import counted
from hpaaudit.model.recorder_plan import Permission, Plan
from hpaaudit.report.progress import size
from hpaaudit.report.text import pasteable, printable


def plan_text(plan: Plan) -> str:
    """The plan as text."""
    every = f"every {plan.interval_seconds:g} s, {plan.requests_per_second:.1f} requests per second"
    where = f"namespace {plan.namespace}" if plan.namespace else "all namespaces"
    lines = [
        f"{plan.context} ({plan.server}), Kubernetes {plan.version}, {where}",
        "",
        f"  {counted(plan.hpas, 'HPA')} with {counted(plan.pods, 'pod')}",
        f"  {counted(plan.watches, 'stream')}; {counted(plan.polls, 'read')} {every}",
        f"  about {size(plan.bytes_per_hour)} per hour",
    ]
    if plan.warnings:
        lines += ["", "  not safe:", *(f"    {line}" for line in plan.warnings)]
    if plan.not_probed:
        lines += ["", "  not read, because of --no-probe:", *(f"    {name}" for name in plan.not_probed)]
    if plan.denied:
        lines += ["", "  not allowed:", *(f"    {can_i(right)}" for right in plan.denied)]
    if plan.unserved:
        lines += ["", "  not served:", *(f"    {group}, needed by {counted(n, 'HPA')}" for group, n in plan.unserved)]
    if plan.unauditable:
        width = max(len(name) for name, _ in plan.unauditable)
        rows = (f"    {name:{width}}  {reason}" for name, reason in plan.unauditable)
        lines += ["", "  cannot be audited:", *rows]
    elif plan.hpas:
        lines += ["", "  every HPA can be audited"]
    return "\n".join(map(printable, lines)) + "\n"


def can_i(right: Permission) -> str:
    """The kubectl command that checks a right. It prints `yes` once the right is granted."""
    resource = f"{right.resource}.{right.group}" if right.group else right.resource
    subresource = f" --subresource={right.subresource}" if right.subresource else ""
    where = f" -n {right.namespace}" if right.namespace else " -A"
    name = f"/{right.name}" if right.name else ""
    return f"kubectl auth can-i {right.verb} {pasteable(resource + name)}{subresource}{where}"
