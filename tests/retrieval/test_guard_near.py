from __future__ import annotations

import pytest

from retrieval.guard import difference, key, signature

# Almost the same words, and another answer: what the words next to a word change.
TURNED = [
    ("How many pets does each person have?", "How many persons does each pet have?"),
    (
        "singers and the number of concerts of each person",
        "singers and the number of persons of each concert",
    ),
    ("Which persons have the most pets?", "Which pets have the most persons?"),
    ("What is the age of the oldest student?", "Which is the oldest student?"),
    ("maximum age of the students", "the oldest of the students"),
    ("students older than 20", "students over 20"),
    ("students older than 20", "students younger than 20"),
    ("name of the student with the highest age", "name of the youngest student"),
    ("the student with the highest age of teachers", "the student of the oldest teacher"),
    ("alunos mais velhos do que 20", "alunos mais novos do que 20"),
    ("a altura média e a maior pressão das bombas", "a pressão média e a maior altura das bombas"),
    ("o peso médio e o maior preço", "o preço médio e o maior peso"),
    ("the average age and the highest weight", "the average weight and the highest age"),
    ("the average and minimum age", "the average and maximum age"),
    ("the minimum age and average weight", "the average age and minimum weight"),
    ("a idade mínima e o peso médio", "a idade média e o peso mínimo"),
    ("versions from 2 to 5", "versions from 5 to 2"),
    ("plants with 1 to 2 pumps", "plants with 1 or 2 pumps"),
    ("o livro que a Ana escreveu", "o livro que a Ana pagou"),
    ("sites com mais de 3 bombas", "sites com 3 bombas ou mais"),
    ("population of the city of Porto", "population of the region of Porto"),
    ("population of the city of Porto", "population of the district of Porto"),
    ("documents used by templates", "templates used by documents"),
    ("templates used by documents", "templates using documents"),
    ("Which templates are used by documents?", "Which templates use documents?"),
    ("Quais os modelos usados por documentos?", "Quais os modelos que usam documentos?"),
    ("sales by region", "sales by Regina"),
    ("number of songs by singer", "number of songs by Singer"),
    ("title of the director of the film", "name of the director of the film"),
    ("How much does the pump cost?", "How much does the pump weigh?"),
    ("How much does the pump cost?", "How much does the pump make?"),
    ("students with at least one dog", "students with no dog"),
    ("students with at least one dog", "students with at least two dogs"),
    ("employees with at least one year of experience", "employees with years of experience"),
    ("managers that are older than engineers", "engineers that are older than managers"),
    ("customers that are suppliers of plants", "suppliers that are customers of plants"),
    ("all plants except plants with pumps", "all plants except pumps"),
    ("plants except plants with pumps", "plants with pumps"),
    ("plants except plants with pumps", "pumps except pumps with plants"),
    ("songs of the Who", "songs of this"),
    ("songs by the Who", "songs by this"),
    ("songs of The Who", "songs of this"),
    ("Who directed the Who?", "Who directed this?"),
    ("sales in the us", "sales in the"),
    ("How many rooms are available?", "How many rooms are there?"),
    ("How many cars are made in Portugal?", "How many cars are in Portugal?"),
    ("plants with record sales", "plants with sales"),
    ("products on offer", "products"),
    ("names of cities with rivers in Europe", "names of rivers with cities in Europe"),
    ("countries in Europe with islands", "islands in Europe with countries"),
    ("language of the country Portugal", "country of the language Portuguese"),
    ("names sorted by age, descending", "names sorted by age, ascending"),
    ("names in ascending order of age", "names in descending order of age"),
    ("average salary by department", "average salary by person"),
    ("average salary by department", "average department by salary"),
    ("the report used by Ana", "Ana used by the report"),
    ("Which city has the most common name?", "Which name has the most common city?"),
    ("the name that is most common in Porto", "the city that is most common in Porto"),
    (
        "What is the city name and number of people in each city?",
        "What is the city code and number of people in each city?",
    ),
    ("For each city, how many people have a name?", "For each city, how many people are there?"),
    ("names of the singers and number of names in each singer", "number of singers"),
    ("What was sold, and how many?", "What was sold and who sold it?"),
    ("Who hired Ana, and who fired Rui?", "Who hired Rui, and who fired Ana?"),
    (
        "Which plants supply Porto, and which plants buy in Faro?",
        "Which plants buy in Porto, and which plants supply in Faro?",
    ),
    ("version later than 5", "version earlier than 5"),
    ("hired later than 2020", "hired earlier than 2020"),
    ("How much does Ana earn?", "How much does Ana weigh?"),
    ("the age of the 3 dogs", "the 3 dogs of age"),
    ("a cat that is 3 years old", "a cat that is 3 months old"),
    ("cats over 3 years old", "cats under 3 years old"),
    ("a 3 year old contract", "a 3 year contract"),
    ("a contract of 3 years", "a contract 3 years old"),
    ("Which languages are used by teams?", "Which teams are used by languages?"),
    ("languages used in the most countries", "languages used in the fewest countries"),
    ("Que línguas usam as equipas?", "Que equipas usam as línguas?"),
    ("the cost of each plant for customers", "the cost of each customer for plants"),
    ("invoices of plants for customers", "invoices of customers for plants"),
    ("vendas por região", "vendas por cliente"),
    ("vendas da região por cliente", "vendas do cliente por região"),
    ("faturas pagas pela Acme", "faturas pagas à Acme"),
    ("total de faturas por cliente", "total de clientes por fatura"),
    ("Who wrote books in the English language?", "Who wrote English in books of language?"),
    ("cidade do Porto", "região do Porto"),
    ("população da cidade de Lisboa", "população da região de Lisboa"),
    ("canção da Onde", "canção de quem"),
    ("Which employees were fired during strikes?", "Which employees were fired before strikes?"),
    ("report about sales", "report of sales"),
    ("concerts that are not in Porto but in Faro", "concerts that are not in Faro but in Porto"),
    ("Quem trabalha em Tomar mas não em Faro?", "Quem trabalha em Faro mas não em Tomar?"),
    ("Quem ainda trabalha em Tomar?", "Quem ainda não trabalha em Tomar?"),
    ("Who already paid?", "Who has yet to pay?"),
    ("Who has ever paid?", "Who has never paid?"),
    ("show me people who speak at the most events", "show me people who speak at the events"),
    ("films shown in most cinemas", "films in cinemas"),
    ("the show in Porto", "Porto"),
    ("price of the tickets for the show", "price of the tickets"),
    ("number of people in the place", "number of people in Porto"),
    ("people in places with most films", "places in people with most films"),
    ("kind of pump", "pump"),
    ("What is Porto's language?", "What is Porto?"),
    ("Which region does Porto belong to?", "Which Porto?"),
    ("list of countries that Portugal exports to", "list of countries that export to Portugal"),
    ("How many people use English?", "How many people use French?"),
    ("oldest person who is not in Porto", "oldest person who is in Porto"),
    ("weight of the pump of the oldest plant", "weight of the plant of the oldest pump"),
    ("weight of the oldest pump in the plant", "weight of the pump in the oldest plant"),
    ("o peso da bomba mais velha da fábrica", "o peso da bomba da fábrica mais velha"),
    ("the city of the oldest plant", "the oldest city of the plant"),
    ("customers with all orders in Porto", "customers with orders in Porto"),
    ("customers who paid all invoices", "customers who paid invoices"),
    ("Which plants in Europe make pumps?", "Which pumps make plants in Europe?"),
    ("island of Porto Santo", "island of Porto"),
    ("How long is the contract?", "How old is the contract?"),
]
SAME = [
    (
        "singers and the number of concerts of each person",
        "singers and the number of concerts of each singer",
    ),
    (
        "singers and the number of concerts of each",
        "singers and the number of concerts of each singer",
    ),
    (
        "cantores e o número de concertos de cada pessoa",
        "cantores e o número de concertos de cada cantor",
    ),
    ("Which students are older than 20?", "Which students have an age over 20?"),
    ("Who is the oldest student in Porto?", "Who is the student with the highest age in Porto?"),
    ("cantores mais velhos do que 20", "cantores com idade superior a 20"),
    ("cantores mais velhos do que a média", "cantores acima da idade média"),
    ("o estudante com a idade máxima", "o estudante mais velho"),
    ("o estudante com a maior idade", "o estudante com a idade máxima"),
    (
        "the average, minimum and maximum age of pumps",
        "the minimum, maximum and average age of pumps",
    ),
    ("a idade média, mínima e máxima das bombas", "a idade mínima, média e máxima das bombas"),
    ("plants with 1 to 2 pumps", "plants with between 1 and 2 pumps"),
    ("fábricas com 1 a 2 bombas", "fábricas com entre 1 e 2 bombas"),
    (
        "Quantos animais de estimação pesam mais de 10?",
        "Qual é o número de animais de estimação que pesam mais de 10?",
    ),
    ("livros escritos em 2020", "livros que se escreveram em 2020"),
    ("film titles in Porto", "names of films in Porto"),
    ("students with at least one dog", "students with a dog"),
    ("a cat that is 3 years old", "a cat of age 3"),
    ("How much does the pump weigh?", "What is the weight of the pump?"),
    ("Quanto pesa a bomba?", "Qual é o peso da bomba?"),
    ("languages spoken in Aruba", "languages used in Aruba"),
    ("total sales by region", "total sales for each region"),
    ("names in descending order of age", "names sorted by age in descending order"),
    ("templates used by documents", "templates used in documents"),
    ("hired later than 2020", "hired after 2020"),
    ("versão posterior a 5", "versão maior que 5"),
    ("plants in the city of Tomar", "plants in Tomar"),
    ("Who plays in the Who?", "who plays in the Who?"),
    (
        "What is the major of students without a cat, and how old are they?",
        "What are the major and age of students without a cat?",
    ),
    ("Which country is Porto in?", "Which country has Porto?"),
    ("Who directed songs of The Who?", "Who directed songs of the Who?"),
]


@pytest.mark.parametrize(("one", "other"), TURNED)
def test_I1_words_that_mean_another_thing_beside_others_never_agree(one: str, other: str) -> None:
    assert difference(signature(one), signature(other))
    assert difference(signature(other), signature(one))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_words_that_say_the_same_beside_others_agree_and_share_a_key(one: str, other: str) -> None:
    assert not difference(signature(one), signature(other))
    assert not difference(signature(other), signature(one))
    assert key(signature(one)) == key(signature(other))


def test_a_name_that_looks_like_a_word_of_the_language_counts() -> None:
    assert "who" in signature("Which songs are by the Who?")["content"]
    assert "who" in signature("Which songs are by the who?")["content"]
    assert "who" not in signature("Who wrote the song?")["content"]
    assert "us" in signature("sales in the us")["content"]


def test_pairs_that_agree_share_the_key_that_finds_them() -> None:
    one, other = signature("plants in the city of Tomar"), signature("plants in Tomar")
    assert one["content"] != other["content"]
    assert key(one) == key(other)
