"""A corpus of three clear themes, and one that joins later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from corpus.communities import themes_make
from tests.factories import ingest

if TYPE_CHECKING:
    from corpus.models import Document
    from teams.models import User, Workspace

KILNS = """# Fornos

## Arranque
O forno de cozedura aquece devagar até 1180 graus e o operador regista a temperatura do forno.

## Arrefecimento
O forno arrefece fechado durante nove horas; abrir a porta do forno parte as peças de cerâmica.

## Manutenção
As resistências do forno são substituídas todos os anos pela equipa de manutenção dos fornos.

## Avarias
Quando o forno para, o operador de fornos desliga o gás e chama a manutenção.
"""
LEAVE = """# Férias

## Dias
Cada colaborador tem direito a 24 dias úteis de férias pagas por ano civil.

## Marcação
As férias são marcadas com o chefe até ao fim de março, e o mapa de férias é publicado em abril.

## Doença
Uma baixa por doença suspende as férias do colaborador, que marca os dias de férias em falta depois.

## Casamento
O colaborador que casa tem 15 dias de licença além das férias.
"""
SHIPPING = """# Expedição

## Paletes
As paletes de mercadoria são filmadas e etiquetadas antes de entrarem no camião da transportadora.

## Camiões
O camião da transportadora chega ao cais de carga às sete horas e sai com as paletes às nove.

## Seguros
O seguro de transporte paga a mercadoria que se parte no camião durante a viagem.

## Guias
A guia de transporte acompanha a mercadoria no camião e é assinada no cais de carga.
"""


CANTEEN = """# Cantina

## Ementa
A sopa e o prato de peixe da cantina custam três euros, e a ementa muda à segunda-feira.

## Horário
A cantina serve almoços do meio-dia às duas e jantares de peixe ou carne às oito.

## Dietas
Quem come sem glúten pede na véspera a refeição à cozinheira da cantina.

## Sobremesa
A fruta e o arroz doce da cantina são sobremesas incluídas no almoço.
"""


def fill(workspace: Workspace, user: User) -> tuple[Document, Document]:
    """Three documents of different themes, with the themes made. Gives the first two."""
    held = (
        ingest(workspace, user, "fornos.md", KILNS),
        ingest(workspace, user, "ferias.md", LEAVE),
    )
    ingest(workspace, user, "expedicao.md", SHIPPING)
    assert themes_make(workspace.pk)
    return held
