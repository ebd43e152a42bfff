-- What kind of writer made this write?
-- One of hpa, keda, gitops, deploy_tool, kubectl, operator, person or unknown. The first condition that is true decides.
-- username, agent: as in an audit log; manager, operation, subresource: as in managedFields; empty where unknown.
create macro main.writer_class(username, agent, manager, operation, subresource) as
    case
        when username = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler' then 'hpa'
        -- kube-controller-manager holds many controllers, but only this one writes /scale. Older releases share one user.
        when subresource = 'scale' and (
            manager = 'kube-controller-manager'
            or username = 'system:kube-controller-manager'
            or agent like 'kube-controller-manager/%'
        ) then 'hpa'
        when regexp_matches(concat_ws(' ', manager, agent, username), '\bkeda\b') then 'keda'
        when regexp_matches(
            concat_ws(' ', manager, agent, username),
            '\b(argocd|argo-cd|kustomize-controller|helm-controller|fluxcd|flux-system)\b'
        ) then 'gitops'
        when regexp_matches(
            concat_ws(' ', manager, agent, username),
            '(?i)\b(helm|terraform|pulumi|ansible|jenkins|gitlab|github|tekton|spinnaker|deploy|ci)\b'
        ) then 'deploy_tool'
        when manager = 'kubectl-client-side-apply' or manager like 'kubectl%' and operation = 'Apply' then 'deploy_tool'
        when manager like 'kubectl%' or agent like 'kubectl%' then 'kubectl'
        when regexp_matches(
            concat_ws(' ', manager, agent, username),
            '(?i)(operator|downscaler|cron|\b(rollouts-controller|flagger)\b)'
        ) then 'operator'
        -- A service account is a program in the cluster. A name without `system:` is a person's login.
        when username like 'system:serviceaccount:%' then 'operator'
        when username <> '' and username not like 'system:%' then 'person'
        else 'unknown'
    end;
