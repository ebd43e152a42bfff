"""How the clients of each era word a failed request whose answer is no Status of the API server."""

import pytest

from hpaaudit.api.client_errors import TODAY, error_text

NAMESPACED = "namespaces/shop"
PODS = f"/api/v1/{NAMESPACED}/pods?labelSelector=app%3Dweb"
OLD_SCALE = f"/apis/extensions/v1beta1/{NAMESPACED}/deployments/web/scale"
OLD_STATUS = f"/apis/extensions/v1beta1/{NAMESPACED}/horizontalpodautoscalers/web/status"
STATUS = f"/apis/autoscaling/v1/{NAMESPACED}/horizontalpodautoscalers/web/status"


@pytest.mark.parametrize(
    ("minor", "verb", "path", "subject"),
    [
        *((minor, "get", PODS, "get pods") for minor in range(1, 12)),
        (1, "get", OLD_SCALE, "get deployments web"),
        *((minor, "put", OLD_SCALE, "put deployments.extensions web") for minor in range(2, 9)),
        *((minor, "get", OLD_SCALE, "get deployments web") for minor in (9, 10, 11, TODAY)),
        (1, "put", OLD_STATUS, "put horizontalPodAutoscalers web"),
        *((minor, "put", STATUS, "put horizontalpodautoscalers.autoscaling web") for minor in (3, 5, 8, TODAY)),
    ],
)
def test_a_generic_error_names_what_was_asked_for(minor: int, verb: str, path: str, subject: str) -> None:
    """As the controllers of 1.1 to 1.11 said it in worlds of our own judge."""
    assert error_text(verb, path, 401, "no\n", "", minor) == (
        f"the server has asked for the client to provide credentials ({subject})"
    )
