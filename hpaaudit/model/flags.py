"""How the controller was started: its release, its flags, its feature gates."""

from dataclasses import dataclass

from hpaaudit.model.units import SECOND, Micros

# kube-controller-manager's defaults, the same in every release from 1.12 on.
SYNC_PERIOD_US = Micros(15 * SECOND)
OLD_SYNC_PERIOD_US = Micros(30 * SECOND)  # up to 1.11, #68021
STABILIZATION_US = Micros(300 * SECOND)
INITIALIZATION_US = Micros(300 * SECOND)
READINESS_DELAY_US = Micros(30 * SECOND)
UPSCALE_DELAY_US = Micros(180 * SECOND)  # flags from 1.7 to 1.11, constants before
DOWNSCALE_DELAY_US = Micros(300 * SECOND)
LEASE_DURATION_US = Micros(15 * SECOND)  # --leader-elect-lease-duration, in every release


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """The settings of one controller process.

    upscale_delay_us, downscale_delay_us   the forbidden windows after a change of the scale (to 1.11)
    rest_clients   metrics come from the metrics APIs and not from Heapster (1.6 to 1.11); None: the release's default
    gates   only those that were set; the others have the default of the release
    with_behaviours, without_behaviours   behaviours switched on or off, because vendors backport single ones
    api_server   the URL under which the controller reached its API server: it appears in error messages
    """

    release: str = "1.36"
    sync_period_us: Micros = SYNC_PERIOD_US
    downscale_stabilization_us: Micros = STABILIZATION_US
    cpu_initialization_period_us: Micros = INITIALIZATION_US
    initial_readiness_delay_us: Micros = READINESS_DELAY_US
    tolerance: float = 0.1
    upscale_delay_us: Micros = UPSCALE_DELAY_US
    downscale_delay_us: Micros = DOWNSCALE_DELAY_US
    rest_clients: bool | None = None
    gates: tuple[tuple[str, bool], ...] = ()
    with_behaviours: tuple[str, ...] = ()
    without_behaviours: tuple[str, ...] = ()
    api_server: str = "https://10.96.0.1:443"
