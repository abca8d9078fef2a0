"""Makes the file of a document store one as a release before wrote it."""

from infra.local.documents.drawers import drawers_in
from infra.local.storage.connection import checksum_of_both, keep_schema

INDEXES = """SELECT name, tbl_name FROM sqlite_master
WHERE type = 'index' AND name LIKE '% by %' AND tbl_name LIKE 'docs%'"""
ROWS = "SELECT db, tenant, collection, id, keys, body, version, expires_at FROM packed"
ALL_IN_ONE = """CREATE TABLE packed (
    db TEXT NOT NULL, tenant TEXT NOT NULL, collection TEXT NOT NULL, id TEXT NOT NULL, keys TEXT,
    body NOT NULL, version INTEGER NOT NULL, expires_at INTEGER, crc INTEGER NOT NULL,
    PRIMARY KEY (db, tenant, collection, id), CHECK (crc = checksum(db || '/' || tenant || '/' || collection
    || '/' || id || '@' || version || '~' || ifnull(expires_at, '') || ifnull(keys, ''), body)))"""
WITH_JSON = """CREATE TABLE "{table}" (
        tenant TEXT NOT NULL, id TEXT NOT NULL, keys TEXT, body NOT NULL, version INTEGER NOT NULL,
        expires_at INTEGER, crc INTEGER NOT NULL, PRIMARY KEY (tenant, id),
        CHECK (crc = checksum('{database}/' || tenant || '/{beginning}' || id || '@' || version || '~'
        || ifnull(expires_at, '') || ifnull(keys, ''), body)))"""
EXPIRY = 'CREATE INDEX "{table} expiry" ON "{table}" (expires_at) WHERE expires_at IS NOT NULL'


def all_in_one(connection):
    """Have all collections in one table."""
    rows, _, indexes = _emptied(connection)
    connection.execute(ALL_IN_ONE)
    connection.executemany("INSERT INTO packed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    _index(connection, [(name, "packed") for name, _ in indexes])


def with_json(connection):
    """Have in each table one column for all that indexes read."""
    rows, drawers, indexes = _emptied(connection)
    own = {(drawer.database, drawer.collection): drawer.name for drawer in drawers}
    for drawer in drawers:
        beginning = f"{drawer.collection}/" if drawer.collection else ""
        names = {"table": drawer.name, "database": drawer.database, "beginning": beginning}
        connection.execute(WITH_JSON.format(**names))
        connection.execute(EXPIRY.format(**names))
    for db, tenant, collection, id_, *rest in rows:
        table = own.get((db, collection))
        at = (tenant, id_ if table else f"{collection}/{id_}")
        connection.execute(f'INSERT INTO "{table or own[db, ""]}" VALUES (?, ?, ?, ?, ?, ?, ?)', (*at, *rest))
    _index(connection, indexes)


def _emptied(connection):
    """Take all documents out; return their rows as they were, the drawers there were, and their indexes."""
    rows = [(*row, _checksum(*row)) for row in connection.execute(ROWS).fetchall()]
    drawers, indexes = drawers_in(connection), connection.execute(INDEXES).fetchall()
    connection.execute("DROP VIEW packed")
    for drawer in drawers:
        connection.execute(f"DROP TABLE {drawer.quoted}")
    return rows, drawers, indexes


def _checksum(db, tenant, collection, id_, keys, body, version, expires_at):
    expiry = "" if expires_at is None else expires_at
    return checksum_of_both(f"{db}/{tenant}/{collection}/{id_}@{version}~{expiry}{keys or ''}", body)


def _index(connection, indexes):
    for name, table in indexes:
        connection.execute(f"""CREATE INDEX "{name}" ON "{table}" (json_extract(keys, '$.due_at'))""")
    keep_schema(connection)
