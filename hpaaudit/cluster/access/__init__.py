"""How to reach the API server and as whom: kubeconfig, service account, credential plugins, proxy, TLS."""
