"""A metric between its two shapes: that of v2beta2 and v2, and that of v2alpha1, v2beta1 and v1's annotations."""

from hpaaudit.api.shapes import Json


def new_metric(old: Json, *, keeps_zero: bool = True) -> Json:
    """A metric of a spec in the new shape. The type of its target follows from which fields are set.

    keeps_zero   an Object's target value of zero stays beside an average; since 1.36 `autoscaling/v1` drops it
    """
    new: Json = {"type": old["type"]}
    if (source := old.get("object")) is not None:
        average = source.get("averageValue")
        target: Json = {"type": "Value" if average is None else "AverageValue"}
        if average is None or keeps_zero or source["targetValue"] != "0":
            target["value"] = source["targetValue"]
        target |= _given(averageValue=average)
        new["object"] = {"describedObject": source["target"], "target": target, "metric": _identifier(source)}
    if (source := old.get("pods")) is not None:
        target = {"type": "AverageValue", "averageValue": source["targetAverageValue"]}
        new["pods"] = {"metric": _identifier(source), "target": target}
    for kind in ("resource", "containerResource"):
        if (source := old.get(kind)) is not None:
            percent, average = source.get("targetAverageUtilization"), source.get("targetAverageValue")
            target = {"type": "AverageValue" if percent is None else "Utilization"}
            target |= _given(averageValue=average, averageUtilization=percent)
            new[kind] = {"name": source["name"], "target": target} | _container(source)
    if (source := old.get("external")) is not None:
        value = source.get("targetValue")
        target = {"type": "AverageValue" if value is None else "Value"}
        target |= _given(value=value, averageValue=source.get("targetAverageValue"))
        new["external"] = {"metric": _identifier(source, "metricSelector"), "target": target}
    return new


def old_metric(new: Json) -> Json:
    """A metric of a spec in the old shape. What cannot be left out there is zero."""
    old: Json = {"type": new["type"]}
    if (source := new.get("object")) is not None:
        target = source["target"]
        old["object"] = {
            "target": source["describedObject"],
            "metricName": source["metric"]["name"],
            "targetValue": target.get("value", "0"),
            **_given(selector=source["metric"].get("selector"), averageValue=target.get("averageValue")),
        }
    if (source := new.get("pods")) is not None:
        old["pods"] = {
            "metricName": source["metric"]["name"],
            "targetAverageValue": source["target"].get("averageValue", "0"),
            **_given(selector=source["metric"].get("selector")),
        }
    for kind in ("resource", "containerResource"):
        if (source := new.get(kind)) is not None:
            target = source["target"]
            old[kind] = {
                "name": source["name"],
                **_given(
                    targetAverageUtilization=target.get("averageUtilization"),
                    targetAverageValue=target.get("averageValue"),
                ),
                **_container(source),
            }
    if (source := new.get("external")) is not None:
        target = source["target"]
        old["external"] = {
            "metricName": source["metric"]["name"],
            **_given(
                metricSelector=source["metric"].get("selector"),
                targetValue=target.get("value"),
                targetAverageValue=target.get("averageValue"),
            ),
        }
    return old


def new_metric_status(old: Json) -> Json:
    """A metric of a status in the new shape."""
    new: Json = {"type": old["type"]}
    if (source := old.get("object")) is not None:
        current = {"value": source["currentValue"], **_given(averageValue=source.get("averageValue"))}
        new["object"] = {"metric": _identifier(source), "current": current, "describedObject": source["target"]}
    if (source := old.get("pods")) is not None:
        current = {"averageValue": source["currentAverageValue"]}
        new["pods"] = {"metric": _identifier(source), "current": current}
    for kind in ("resource", "containerResource"):
        if (source := old.get(kind)) is not None:
            current = {
                "averageValue": source["currentAverageValue"],
                **_given(averageUtilization=source.get("currentAverageUtilization")),
            }
            new[kind] = {"name": source["name"], "current": current} | _container(source)
    if (source := old.get("external")) is not None:
        current = {"value": source["currentValue"], **_given(averageValue=source.get("currentAverageValue"))}
        new["external"] = {"metric": _identifier(source, "metricSelector"), "current": current}
    return new


def old_metric_status(new: Json) -> Json:
    """A metric of a status in the old shape. What cannot be left out there is zero."""
    old: Json = {"type": new["type"]}
    if (source := new.get("object")) is not None:
        old["object"] = {
            "target": source["describedObject"],
            "metricName": source["metric"]["name"],
            "currentValue": source["current"].get("value", "0"),
            **_given(selector=source["metric"].get("selector"), averageValue=source["current"].get("averageValue")),
        }
    if (source := new.get("pods")) is not None:
        old["pods"] = {
            "metricName": source["metric"]["name"],
            "currentAverageValue": source["current"].get("averageValue", "0"),
            **_given(selector=source["metric"].get("selector")),
        }
    for kind in ("resource", "containerResource"):
        if (source := new.get(kind)) is not None:
            old[kind] = {
                "name": source["name"],
                **_given(currentAverageUtilization=source["current"].get("averageUtilization")),
                "currentAverageValue": source["current"].get("averageValue", "0"),
                **_container(source),
            }
    if (source := new.get("external")) is not None:
        old["external"] = {
            "metricName": source["metric"]["name"],
            **_given(metricSelector=source["metric"].get("selector")),
            "currentValue": source["current"].get("value", "0"),
            **_given(currentAverageValue=source["current"].get("averageValue")),
        }
    return old


def _identifier(source: Json, selector: str = "selector") -> Json:
    return {"name": source["metricName"], **_given(selector=source.get(selector))}


def _container(source: Json) -> Json:
    return {"container": source["container"]} if "container" in source else {}


def _given(**fields: object) -> Json:
    """The fields that are set."""
    return {name: value for name, value in fields.items() if value is not None}
