"""The flags that etcd, kube-apiserver and kube-controller-manager are started with."""

from pathlib import Path

from tests.cluster.pki import HOST

Flags = dict[str, object]
"""By name, without dashes."""
Ports = dict[str, int]

HERE = Path(__file__).resolve().parent
CONTROLLERS = (
    "horizontalpodautoscaling",
    "deployment",
    "replicaset",
    "statefulset",
    "replicationcontroller",
    "garbagecollector",
    "namespace",
)


def etcd(folder: Path, ports: Ports) -> Flags:
    """Returns etcd's: it forgets by kill -9 what it did not sync, which no test minds."""
    client, peer = (f"http://{HOST}:{ports[name]}" for name in ("etcd", "etcd_peer"))
    return {
        "name": "only",
        "data-dir": folder / "etcd",
        "listen-client-urls": client,
        "advertise-client-urls": client,
        "listen-peer-urls": peer,
        "initial-advertise-peer-urls": peer,
        "initial-cluster": f"only={peer}",
        "log-level": "warn",
        "unsafe-no-fsync": "true",
    }


def apiserver(folder: Path, ports: Ports) -> Flags:
    """Returns the API server's: real TLS, RBAC, aggregation and audit log."""
    pki = folder / "pki"
    return {
        "etcd-servers": f"http://{HOST}:{ports['etcd']}",
        "bind-address": HOST,
        "advertise-address": HOST,
        "secure-port": ports["apiserver"],
        # A Service that points at a loopback address is refused; nobody here needs the Service "kubernetes".
        "endpoint-reconciler-type": "none",
        "service-cluster-ip-range": "10.0.0.0/24",
        "tls-cert-file": pki / "serving.crt",
        "tls-private-key-file": pki / "serving.key",
        "client-ca-file": pki / "ca.crt",
        "token-auth-file": folder / "tokens.csv",
        "authorization-mode": "RBAC",
        "service-account-issuer": "https://kubernetes.default.svc",
        "service-account-key-file": pki / "service-account.key",
        "service-account-signing-key-file": pki / "service-account.key",
        "requestheader-client-ca-file": pki / "front-proxy-ca.crt",
        "requestheader-allowed-names": "front-proxy",
        "requestheader-username-headers": "X-Remote-User",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "proxy-client-cert-file": pki / "front-proxy.crt",
        "proxy-client-key-file": pki / "front-proxy.key",
        # Without it every namespace needs its ServiceAccount "default" before it can have a pod.
        "disable-admission-plugins": "ServiceAccount",
        "audit-policy-file": HERE / "audit-policy.yaml",
        "audit-log-path": folder / "audit/audit.log",
        "audit-log-mode": "blocking",
    }


def controller_manager(folder: Path, ports: Ports) -> Flags:
    """Returns the controller manager's: each controller as a user of its own, its log at -v=4."""
    config, pki = folder / "kube-controller-manager.kubeconfig", folder / "pki"
    return {
        "kubeconfig": config,
        "authentication-kubeconfig": config,
        "authorization-kubeconfig": config,
        "bind-address": HOST,
        "secure-port": ports["controller_manager"],
        "tls-cert-file": pki / "serving.crt",
        "tls-private-key-file": pki / "serving.key",
        "service-account-private-key-file": pki / "service-account.key",
        "use-service-account-credentials": "true",
        "controllers": ",".join(CONTROLLERS),
        "v": "4",
        "logging-format": "json",
    }
