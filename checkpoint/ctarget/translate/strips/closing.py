"""The end of a strip: what waits until all lanes have ended, done for one lane after another, in their order.

In: the operations of the ways that close a lane which cannot be undone: objects that are made, results that
are appended. Out: statements that save, for each lane, the numbers that these read; and those that do them.
"""

from __future__ import annotations

from dataclasses import replace

from checkpoint.ctarget.translate.ops.operation import Operation
from checkpoint.ctarget.translate.ops.places import C_TYPES, Place, Source, places_in
from checkpoint.ctarget.translate.ops.words import plain
from checkpoint.ctarget.translate.strips import cells
from checkpoint.ctarget.translate.strips.lines import StripText
from checkpoint.ctarget.translate.strips.plan import Plan
from checkpoint.ctarget.translate.strips.records import number_of
from checkpoint.ctarget.translate.strips.vectors import spread
from checkpoint.ctarget.translate.units.graph import Jump
from checkpoint.ctarget.translate.units.paths import Path


def list_name(param: Place) -> str:
    """Return the name of the pointer to a list of results, by the param of the loop that is the list."""
    return f"{param.name}_list"


def save(out: StripText, path: Path, mask: str) -> None:
    """Save what a way that closes a lane leaves for the end."""
    number = path.end.number
    for row in out.rows:
        out.saved[row.place.name] = row.place
        out.blend(f"{row.place.name}[u]", "real", mask, spread(row.values[id(path.end)], out.plan))
    if out.rows:
        return
    for place in _needed(out.plan, path):
        if place.kind == "value" and out.plan.objects.only(place) is not None:
            continue
        out.saved[_name(number, place)] = place
        out.blend(f"{_name(number, place)}[u]", place.kind, mask, place.name)
    if len(out.plan.late) > 1:
        out.blend("closed[u]", "integer", mask, f"all_integers({number})")


def close(out: StripText, takes_births: bool) -> None:
    """Do what has waited, for all lanes, and record it."""
    out.is_late = True
    if out.rows:
        _close_rows(out, takes_births)
        return
    several = len(out.plan.late) > 1
    out.put("for (int64_t lane = 0; lane < lanes; lane++) {")
    out.indent = 2
    if several:
        out.put("switch (((const int64_t *)closed)[lane]) {")
    for path in filter(out.plan.closes, out.plan.ways.values()):
        out.put(f"case {path.end.number}: {{" if several else "{")
        out.indent = 3
        _close_lane(out, path)
        out.indent = 2
        out.put("    break;" if several else "", "}")
    if several:
        out.put("}")
    if out.records:
        out.put(f"up += {out.records.lane_words};")
    if takes_births:
        out.put("births += ((const int64_t *)born)[lane];")
    out.indent = 1
    out.put("}")


def _close_rows(out: StripText, takes_births: bool) -> None:
    """Append the results of all lanes, where they are in rows, and record where they are."""
    for i, row in enumerate(out.rows):
        where = f"*{list_name(row.param)}"
        if out.records:
            out.put(f"up[{2 * i}].birth = ({where}).object->birth;")
            out.put(f"up[{2 * i + 1}].field = (int64_t)((const List *)({where}).object)->length;")
        out.put(f"append_reals(m, {where}, (const double *){row.place.name}, lanes);")
    if out.records:
        out.put(f"up += {out.records.closing_words};")
    if takes_births:
        out.put("births += sum_of(born, chunks);")


def _close_lane(out: StripText, path: Path) -> None:
    late, results = out.plan.late[id(path.end)], out.plan.results
    for place in _needed(out.plan, path):
        if place.kind == "value":
            _make_leaving(out, path, place)
            continue
        births = " + births" if place in out.plan.births else ""
        text = _of_lane(_name(path.end.number, place), place)
        out.put(f"const {C_TYPES[place.kind]} {place.name} = {text}{births};")
    made = list(dict.fromkeys(place for each in late for place in each.sets()))
    for place in dict.fromkeys(place for each in late for place in places_in(each.reads())):
        if place in results and place not in made:
            out.put(f"const Value {place.name} = *{list_name(results[place])};")
    for place in made:
        out.put(f"{C_TYPES[place.kind]} {place.name};")
    for operation in late:
        operation.write(out)
    if out.records:
        out.put(*out.records.late_writes(path))
    assert isinstance(path.end, Jump)
    for param, source in zip(path.end.header.params, path.end.sources, strict=True):
        if param in results:
            out.put(f"*{list_name(param)} = {plain(source)};")


def _make_leaving(out: StripText, path: Path, place: Place) -> None:
    """Make the object of the lane that is part of its result."""
    objects, word = out.plan.objects, number_of(place)
    only = objects.only(place)
    number = str(only.number) if only is not None else _of_lane(_name(path.end.number, place), place)
    out.put(f"const int64_t {word.name} = {number};", f"Value {place.name} = nothing();")
    for own in objects.of[place]:
        out.put(f"if ({word.name} == {own.number}) {{")
        out.indent += 1
        birth = Place(f"{own.birth}_own", "integer")
        out.put(f"const int64_t {birth.name} = ((const int64_t *){own.birth})[lane] + births;")
        arrays = {each.name: each for each in cells.arrays(own, out.plan)}
        sources: list[Source] = []
        for i, source in enumerate(own.cells):
            array = arrays.get(own.name(i))
            sources.append(source if array is None else Place(f"{array.name}_own", array.kind))
            if array is not None:
                text = _of_lane(array.name, array)
                out.put(f"const {C_TYPES[array.kind]} {array.name}_own = {text};")
        replace(own.makes[0], to=place, cells=tuple(sources), birth=birth).write(out)
        out.indent -= 1
        out.put("}")
    out.record_birth(place)


def _needed(plan: Plan, path: Path) -> list[Place]:
    """Return the vectors that the operations that wait read."""
    late: list[Operation] = plan.late[id(path.end)]
    own = {place for each in late for place in each.sets()} | plan.results.keys() | plan.uniform
    read = dict.fromkeys(place for each in late for place in places_in(each.reads()))
    return [place for place in read if place not in own]


def _name(number: int, place: Place) -> str:
    return f"late_{number}_{place.name}"


def _of_lane(name: str, place: Place) -> str:
    if place.kind == "value":
        return f"((const int64_t *){name})[lane]"
    if place.kind == "boolean":
        return f"is_in({name}[lane / WIDTH], lane % WIDTH)"
    return f"((const {C_TYPES[place.kind]} *){name})[lane]"
