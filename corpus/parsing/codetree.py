"""What the nodes of a syntax tree define, in one way for all grammars."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

# The grammars' names of things, alike enough to be told by pattern.
DEFINED = r"(?:_(?:definition|declaration|item|specifier|statement|object))?"
CONTAINER = re.compile(
    r"(?:abstract_)?(?:class|struct|interface|trait|impl|enum|module|internal_module|namespace|object"
    rf"|protocol|record|mod|union|companion|singleton_class|annotation_type){DEFINED}"
)
FUNCTION = re.compile(
    r"(?:generator_)?(?:function|method|constructor|destructor|init|deinit|local_function|macro|operator"
    rf"|singleton_method|secondary_constructor|compact_constructor|conversion_operator){DEFINED}"
)
COMMENT = re.compile(r"\w*comment|attribute_item|attribute_list|decorator|annotation")
# What only stands around members; ERROR is what a grammar could not read, with what it could inside.
TRANSPARENT = frozenset(
    (
        *("preproc_if", "preproc_ifdef", "preproc_else", "linkage_specification"),
        *("enum_body_declarations", "ERROR"),
    )
)
FLAT = frozenset(["statement_list", "statements", "body_statement"])
# What may stand around one definition or give a function its name.
WRAPPER = frozenset(
    (
        *(
            "export_statement",
            "decorated_definition",
            "template_declaration",
            "ambient_declaration",
        ),
        *("expression_statement", "lexical_declaration", "variable_declaration", "declaration"),
        *("variable_declarator", "type_declaration", "type_definition", "field_definition"),
        *("public_field_definition", "assignment", "assignment_expression", "assignment_statement"),
        *("binary_operator", "pair"),
    )
)
ASSIGNED = (
    *(
        ("name", "value"),
        ("left", "right"),
        ("lhs", "rhs"),
        ("property", "value"),
        ("key", "value"),
    ),
)
VALUE = re.compile(r"arrow_function|function(?:_expression|_definition)?|generator_function|class")
BODY = re.compile(r"\w*(?:body|block|declaration_list|statements?)")
BRACKETS = re.compile(r"<.*>|[\"'`\[\]]", re.DOTALL)
NAME_SIGNS, WRAPPED = 80, 5


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, or (`holds`) a class or module with members. `node` is all of it with what wraps it,
    `name` "" where it has none, `body` the node whose children are its statements or members."""

    node: Any
    name: str
    body: Any
    holds: bool


def definition(node: Any, wrapped: int = 0) -> Definition | None:
    """What the node defines, if it does. A function without a body is a mere declaration."""
    kind = node.type
    if kind in TRANSPARENT:
        return Definition(node, "", node, holds=True)
    for pattern, holds in ((FUNCTION, False), (CONTAINER, True)):
        if pattern.fullmatch(kind):
            body = _body(node)
            return Definition(node, _name(node), body, holds) if body is not None else None
    if kind == "type_spec":
        return Definition(node, _name(node), node, holds=False)
    if kind not in WRAPPER or wrapped > WRAPPED:
        return None
    for left, right in ASSIGNED:
        name, value = node.child_by_field_name(left), node.child_by_field_name(right)
        if name is not None and value is not None and VALUE.fullmatch(value.type):
            return Definition(node, _clean(name), _body(value) or value, value.type == "class")
    for child in node.named_children[:20]:
        inner = definition(child, wrapped + 1)
        if inner is not None and child.type not in TRANSPARENT:
            named = node.child_by_field_name("declarator")
            name = inner.name or (_clean(named) if named is not None else "")
            return Definition(node, name, inner.body, inner.holds)
    return None


def members(node: Any) -> Iterator[Any]:
    """The named children, those of mere groups among them in place of the group."""
    for child in node.children:
        if child.type in FLAT:
            yield from members(child)
        elif child.is_named:
            yield child


def holder(node: Any, depth: int = 6) -> Any:
    """The nearest node inside whose children define something: the body of a function called where it
    stands, of an `if` around definitions, of an object of functions. None when there is none."""
    if any(definition(child) for child in members(node)):
        return node
    if depth:
        for child in node.named_children[:20]:
            found = holder(child, depth - 1)
            if found is not None:
                return found
    return None


def statement(node: Any) -> str | None:
    """For a statement that stands alone (of SQL): the name of what it makes or alters, "" if none.

    None for other nodes, and for INSERT, of which dumps hold thousands.
    """
    if node.type != "statement" or not node.named_children:
        return None
    done = node.named_children[0]
    if done.type == "insert":
        return None
    makes = done.type.startswith(("create_", "alter_", "drop_"))
    named = (child for child in done.named_children if child.type == "object_reference")
    return next((_clean(child) for child in named), "") if makes else ""


def parts(name: str) -> tuple[str, ...]:
    """A qualified name from outside in: `n::A::g`, `A.prototype.f` and `M:k` alike."""
    return tuple(part for part in re.split(r"[.:]+|->", name) if part)


def _body(node: Any) -> Any:
    named = node.child_by_field_name("body")
    if named is not None:
        return named
    return next((child for child in node.children[::-1] if BODY.fullmatch(child.type)), None)


def _name(node: Any) -> str:
    """The name that a definition gives, qualified where it says so itself; "" when it has none."""
    named = node.child_by_field_name("name")
    if named is None and (declared := node.child_by_field_name("declarator")) is not None:
        named = _declared(declared)
    if named is None and node.type == "impl_item":
        named = node.child_by_field_name("type")
    if named is None:
        named = next((one for one in node.named_children if one.type.endswith("identifier")), None)
    if named is None:
        return node.type.partition("_")[0] if FUNCTION.fullmatch(node.type) else ""
    receiver = node.child_by_field_name("receiver")
    # Go: (t *Table[K]) belongs to Table.
    owner = re.findall(r"\w+", re.sub(r"\[.*\]", "", text_of(receiver))) if receiver else []
    return ".".join([*owner[-1:], _clean(named)])


def _declared(node: Any) -> Any:
    """C and C++: the name inside its declarators, as in `int *f(void)`."""
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in {"reference_declarator", "parenthesized_declarator"}:
        inner = node.named_children[-1] if node.named_children else None
    return node if inner is None else _declared(inner)


def _clean(node: Any) -> str:
    return "_".join(BRACKETS.sub("", text_of(node)).split())[:NAME_SIGNS]


def text_of(node: Any) -> str:
    return str(node.text.decode("utf-8", "replace"))
