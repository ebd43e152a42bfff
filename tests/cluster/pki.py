"""Makes the certificates of a cluster with openssl: two authorities, a server's, an admin's, a front proxy's."""

import subprocess
from pathlib import Path

HOST = "127.0.0.1"
SERVICE = "metrics.kube-system.svc"


def openssl(*args: str, cwd: Path) -> None:
    """Runs openssl; its own words when it fails."""
    completed = subprocess.run(["openssl", *args], cwd=cwd, capture_output=True, text=True, check=False)
    if completed.returncode:
        raise RuntimeError(f"openssl {args[0]}: {completed.stderr.strip()}")


def key(pki: Path, name: str) -> None:
    """Makes a private key."""
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key", cwd=pki)


def authority(pki: Path, name: str) -> None:
    """Makes a certificate authority."""
    key(pki, name)
    subject = ("-subj", f"/CN={name}", "-days", "30")
    openssl("req", "-x509", "-new", "-key", f"{name}.key", *subject, "-out", f"{name}.crt", cwd=pki)


def leaf(pki: Path, name: str, by: str, subject: str, usage: str, names: str = "") -> None:
    """Makes a certificate signed by an authority; `names` are its subjectAltName."""
    key(pki, name)
    lines = [f"extendedKeyUsage={usage}", "keyUsage=digitalSignature"]
    if names:
        lines.append(f"subjectAltName={names}")
    (pki / f"{name}.ext").write_text("\n".join(lines) + "\n")
    openssl("req", "-new", "-key", f"{name}.key", "-subj", subject, "-out", f"{name}.csr", cwd=pki)
    signer = ("-CA", f"{by}.crt", "-CAkey", f"{by}.key", "-CAcreateserial")
    what = ("-in", f"{name}.csr", "-extfile", f"{name}.ext", "-out", f"{name}.crt")
    openssl("x509", "-req", *what, *signer, "-days", "30", cwd=pki)


def certificates(pki: Path) -> None:
    """Everything that the three programs and their users need, in a new folder."""
    pki.mkdir(parents=True)
    authority(pki, "ca")
    authority(pki, "front-proxy-ca")
    names = f"IP:{HOST},DNS:localhost,DNS:kubernetes.default.svc,DNS:{SERVICE}"
    leaf(pki, "serving", "ca", "/CN=serving", "serverAuth", names)
    leaf(pki, "admin", "ca", "/O=system:masters/CN=admin-by-certificate", "clientAuth")
    leaf(pki, "front-proxy", "front-proxy-ca", "/CN=front-proxy", "clientAuth")
    key(pki, "service-account")
