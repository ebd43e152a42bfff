"""Words: frozen values in Kubernetes' own nouns, without behaviour to speak of."""
