"""How long the check of a model takes: 500 items with ten properties each."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rdfcrawl.metamodel.load import load_model

ITEMS = 500
PROPERTIES = 10
HEAD = """@prefix : <predicate://> .
@prefix type: <type://> .
@prefix page: <page://> .
@prefix item: <item://> .
@prefix p: <property://> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<model:> :section <https://example.org/> .
<https://example.org/> :page page:start .
page:start :type type:object ; :item item:i0 .
"""


def large_model() -> str:
    """A model in which every property has a path, a pattern, two replacements and a type."""
    lines = [HEAD]
    for item in range(ITEMS):
        names = " , ".join(f"p:i{item}_{number}" for number in range(PROPERTIES))
        lines.append(f'item:i{item} :path ".//div[{item + 1}]" ; :property {names} .')
        if item:
            lines.append(f"page:start :sub page:n{item} . page:n{item} :type type:objects ; :item item:i{item} .")
        lines.extend(
            f"""p:i{item}_{number} :path "./span[{number + 1}]" ; :optional true ; :pattern "[0-9.,]+" ;
    :replace [ :old "\\\\." ; :new "" ; :order 1 ] , [ :old "," ; :new "." ; :order 2 ] ; :type xsd:decimal ."""
            for number in range(PROPERTIES)
        )
    return "\n".join(lines)


def main() -> None:
    """Print the time that one check takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.ttl"
        path.write_text(large_model(), encoding="utf-8")
        # Processor time, so that the figure does not depend on what else the machine does.
        start = time.process_time()
        model = load_model(path)
        seconds = time.process_time() - start
    properties = sum(len(item.properties) for item in model.items())
    print(f"{properties} properties checked in {seconds:.1f} s")


if __name__ == "__main__":
    main()
