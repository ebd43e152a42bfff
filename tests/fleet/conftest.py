"""What tests of the two engines share."""

import pytest


@pytest.fixture
def unsearched(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other settings are searched: both engines do that by the same code, on what they agree about, and for long."""
    monkeypatch.setattr("hpaaudit.flows.replay.sensitivity", lambda *_: ())
