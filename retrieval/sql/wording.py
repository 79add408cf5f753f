"""What is said to people when no statement could be made, in Portuguese and English."""

from __future__ import annotations

REASONS: dict[str, tuple[str, str]] = {
    "no_tables": (
        "Não há tabelas que possa ler neste espaço.",
        "There are no tables that you can read in this workspace.",
    ),
    "length": (
        "A pergunta está vazia ou é demasiado longa para ser lida contra tabelas.",
        "The question is empty or too long to be read against tables.",
    ),
    "why": (
        "A pergunta pede uma razão, que uma tabela não dá.",
        "The question asks for a reason, which a table does not give.",
    ),
    "several_tables": (
        "Várias tabelas respondem igualmente: {tables}. Diga qual, ou o ano.",
        "Several tables would answer equally: {tables}. Say which one, or the year.",
    ),
    "related": (
        "As tabelas referem-se umas às outras, e a pergunta não se lê por inteiro sobre elas.",
        "The tables refer to each other, and the question cannot be read in full over them.",
    ),
    "with_totals": (
        "«{table}» tem totais entre as suas linhas; somá-las contaria duas vezes.",
        "“{table}” holds totals among its rows; adding them up would count twice.",
    ),
    "no_figures": (
        "Em «{table}» falta um valor que a pergunta pede, ou há duas linhas com o mesmo nome.",
        "In “{table}” a figure that the question asks for is missing, or two rows have one name.",
    ),
    "unknown": (
        "{words}: não é coluna nem valor de «{table}».",
        "{words}: neither a column nor a value of “{table}”.",
    ),
    "unknown_near": (
        "{words}: não é coluna nem valor de «{table}». Mais próximo: {near}.",
        "{words}: neither a column nor a value of “{table}”. Nearest: {near}.",
    ),
    "negation": (
        "Não se percebe o que a negação exclui.",
        "It is not clear what the negation leaves out.",
    ),
    "pronoun": (
        "Não se sabe a que se refere «{word}».",
        "It is not clear what “{word}” refers to.",
    ),
    "value_in_columns": (
        "«{word}» está em várias colunas ({columns}). Diga qual.",
        "“{word}” stands in several columns ({columns}). Say which one.",
    ),
    "no_date": (
        "«{table}» não tem coluna de data para o período pedido.",
        "“{table}” has no date column for the period asked for.",
    ),
    "comparison": (
        "A pergunta compara ou pede sim ou não. Pergunte pelos valores.",
        "The question compares, or asks for yes or no. Ask for the values.",
    ),
    "several_of_one": (
        "Não se percebe se se pede qualquer um ou todos em conjunto.",
        "It is not clear whether any of them or all of them together are meant.",
    ),
    "unused": (
        "Não se percebe o papel de «{word}» na pergunta.",
        "It is not clear what “{word}” is for in the question.",
    ),
    "several_periods": (
        "A pergunta fala de vários períodos separados. Pergunte por um de cada vez.",
        "The question speaks of several separate periods. Ask about one at a time.",
    ),
    "no_year": (
        "Não se diz de que ano é o mês.",
        "The question does not say of which year the month is.",
    ),
    "no_month": (
        "A coluna {column} não tem esse mês; tem: {values}.",
        "The column {column} does not have that month; it has: {values}.",
    ),
    "no_number_column": (
        "Não se percebe a que coluna se aplica o número.",
        "It is not clear which column the number is about.",
    ),
    "average_of_totals": (
        "A média pode ser de linhas ou de totais. Diga qual.",
        "The average can be of rows or of totals. Say which.",
    ),
    "several_columns": (
        "Várias colunas servem: {columns}. Diga qual.",
        "Several columns would do: {columns}. Say which one.",
    ),
    "no_measure": (
        "«{table}» não tem uma coluna certa para este cálculo.",
        "“{table}” has no certain column for this calculation.",
    ),
    "totals_per": (
        "Isto precisa de totais por {column}, que ainda não se calculam assim.",
        "This needs totals per {column}, which are not yet computed this way.",
    ),
    "nothing_to_count": (
        "Não se percebe o que contar em «{table}».",
        "It is not clear what to count in “{table}”.",
    ),
    "count_of_time": (
        "Contar períodos ({part}) não é suportado.",
        "Counting periods ({part}) is not supported.",
    ),
    "not_added": (
        "Somar {column} não faz sentido.",
        "Adding {column} up makes no sense.",
    ),
    "nothing_asked": (
        "A pergunta não pede um cálculo nem uma coluna de «{table}».",
        "The question asks for neither a calculation nor a column of “{table}”.",
    ),
    "which_rows": (
        "Não se diz de que linhas é {column}.",
        "The question does not say of which rows {column} is wanted.",
    ),
    "refused": (
        "A instrução gerada foi recusada: {why}",
        "The generated statement was refused: {why}",
    ),
    "engine": (
        "O modelo que escreve SQL falhou: {why}",
        "The model that writes SQL failed: {why}",
    ),
    "empty": (
        "Nenhuma linha corresponde: {filters}.",
        "No row matches: {filters}.",
    ),
    "left": (
        "Com {filters} há em {column}: {near}.",
        "With {filters} there is in {column}: {near}.",
    ),
    "empty_written": (
        "A instrução correu e nenhuma linha corresponde.",
        "The statement ran, and no row matches.",
    ),
    "not_stored": (
        "{column} não tem «{text}» (mais próximo: {near})",
        "{column} does not hold “{text}” (nearest: {near})",
    ),
    "failed": (
        "A base de dados recusou a instrução: {why}",
        "The database refused the statement: {why}",
    ),
}


def reason(name: str, language: str, **said: str) -> str:
    """The sentence called `name`; Portuguese for pt, English for any other language."""
    return REASONS[name][0 if language == "pt" else 1].format(**said)
