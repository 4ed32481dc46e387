"""docs/architecture.svg shows the crates, rooms and back ends that there are."""

import architecture


def test_the_picture_is_of_this_tree():
    assert architecture.PICTURE.read_text() == architecture.drawn()


def test_every_name_is_in_it():
    picture = architecture.drawn()
    names = [name for row in architecture.crates() for name in row]
    names += [room for floor, rooms in architecture.rooms().items() if floor != "back end" for room in rooms]
    names += architecture.back_ends()
    assert len(names) > 35 and {"ssse3", "simd128", "polyseal-py", "polyseal-local"} <= set(names)
    assert all(f">{name}</text>" in picture for name in names)


def test_the_steps_run_down_the_picture():
    picture = architecture.drawn()
    places = [picture.index(f">{number}</text>") for number in range(1, 1 + len(architecture.STEPS))]
    assert places == sorted(places)
