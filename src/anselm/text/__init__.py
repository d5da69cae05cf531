"""From documents to sentences and words, with character offsets.

documents       files as sentences, or as the entries of a FAQ: the front door of this room
folders, kinds, encodings   which files there are, of which kind, and their bytes as text
html, markdown, docx, pdf, paragraphs   one kind each, as text that knows its place in the source
archives, extracts   packed folders of XML, and what is taken out of files
pptx, epub      slides and books
opendocument    texts and spreadsheets of LibreOffice
xlsx, sheets, cell_values   spreadsheets as cells that know their place
pieces, outlines, questions   cleaned text with places, the headings above them, and questions set like headings
faq             an entry of a FAQ
column_names, faq_columns   which column of a table holds what
faq_tables, faq_sheets, faq_records, faq_pages   entries from tables, spreadsheets, JSON and pages
page_tables, linked_faqs   a page's tables of questions and answers, and what it tells search engines
sentences, abbreviations   where sentences end
units, windows  a question with its answer, and a text that is too long, in parts that overlap
tokens, stem, statistics   words as lexical models match them, and how common they are
languages       whether a model reads the script of a text
spelling        misspelt words of a question
vocabulary, lemmas, phrases   words as models over word vectors read them
word_vectors, vector_rows, word2vec   their vectors: from files, or trained on one's own texts
"""
