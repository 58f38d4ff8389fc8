using System.Data.Common;
using System.Globalization;
using Dapper;
using Npgsql;

namespace DroneDelivery.Database.Migrations;

/// <summary>Brings the tables of one service to what its version needs. A table of the database remembers how far they are.</summary>
/// <param name="service">Whose they are: two services may share a database.</param>
/// <param name="migrations">In their order. One that the database has and this version does not know was applied by a newer one.</param>
internal sealed class Migrator(
    IDatabaseEngine engine,
    string service,
    IReadOnlyList<Migration> migrations,
    TimeProvider time
)
{
    private const string Table = "schema_migrations";

    private const string CreateTable = $"""
        create table if not exists {Table} (
            service text not null, name text not null, checksum text not null, applied_at text not null,
            primary key (service, name))
        """;

    private const string HowTo =
        $"Run the service once with {MigrateCommand.Argument}, as a role that may create tables.";

    /// <summary>Applies what is missing, as one transaction. Reads only, if nothing is missing.</summary>
    /// <returns>The names of those that it applied.</returns>
    /// <exception cref="MigrationException">One failed, or has changed since it was applied. Nothing is changed.</exception>
    public async Task<IReadOnlyList<string>> ApplyAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        if ((await FindMissingAsync(connection, cancellationToken)).Count == 0)
            return [];
        var step = Table;
        try
        {
            return await engine.MigratingAsync(connection, ApplyAllAsync, cancellationToken);
        }
        catch (DbException exception) when (!engine.IsUnavailable(exception))
        {
            var advice = exception.SqlState == PostgresErrorCodes.InsufficientPrivilege ? $" {HowTo}" : "";
            throw new MigrationException(
                $"{step} of {service} failed and changed nothing: {exception.Message}{advice}",
                exception
            );
        }

        async Task<IReadOnlyList<string>> ApplyAllAsync()
        {
            await ExecuteAsync(connection, CreateTable, null, cancellationToken);
            // Asked again inside the transaction: another replica may have been first.
            var missing = await FindMissingAsync(connection, cancellationToken);
            foreach (var migration in missing)
            {
                step = migration.Name;
                await ApplyAsync(connection, migration, cancellationToken);
            }
            return [.. missing.Select(migration => migration.Name)];
        }
    }

    /// <exception cref="MigrationException">Something is missing.</exception>
    public async Task RequireAsync(DbConnection connection, CancellationToken cancellationToken)
    {
        var missing = await FindMissingAsync(connection, cancellationToken);
        if (missing.Count > 0)
            throw new MigrationException($"The database lacks {string.Join(", ", missing)} of {service}. {HowTo}");
    }

    /// <summary>Lets a role of PostgreSQL read and write the rows of this service, and nothing else.</summary>
    public async Task GrantAsync(DbConnection connection, string role, CancellationToken cancellationToken)
    {
        var tables = string.Join(", ", migrations.SelectMany(migration => migration.Tables).Distinct());
        var to = $"\"{role.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
        try
        {
            // Two that grant rights on one table at the same time disturb each other.
            var grant = $"grant select on {Table} to {to}; grant select, insert, update, delete on {tables} to {to}";
            await engine.MigratingAsync(
                connection,
                () => ExecuteAsync(connection, grant, null, cancellationToken),
                cancellationToken
            );
        }
        catch (DbException exception) when (!engine.IsUnavailable(exception))
        {
            throw new MigrationException($"Database:GrantTo: {exception.Message}", exception);
        }
    }

    private async Task<IReadOnlyList<Migration>> FindMissingAsync(
        DbConnection connection,
        CancellationToken cancellationToken
    )
    {
        try
        {
            if (!await engine.HasTableAsync(connection, Table, cancellationToken))
                return migrations;
            var recorded = (
                await connection.QueryAsync<(string Name, string Checksum)>(
                    new CommandDefinition(
                        $"select name, checksum from {Table} where service = @service",
                        new { service },
                        cancellationToken: cancellationToken
                    )
                )
            ).ToDictionary(row => row.Name, row => row.Checksum);
            return
            [
                .. migrations.Where(migration => !IsApplied(migration, recorded.GetValueOrDefault(migration.Name))),
            ];
        }
        catch (DbException exception) when (!engine.IsUnavailable(exception))
        {
            throw new MigrationException(
                $"The table {Table} cannot be read: {exception.Message} {HowTo} Database:GrantTo names the role of the service.",
                exception
            );
        }
    }

    private bool IsApplied(Migration migration, string? checksum) =>
        checksum is null || checksum == migration.Checksum
            ? checksum is not null
            : throw new MigrationException(
                $"{migration.Name} of {service} has changed since it was applied. Restore it, and put the change into a new file."
            );

    private async Task ApplyAsync(DbConnection connection, Migration migration, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, migration.Sql, null, cancellationToken);
        await ExecuteAsync(
            connection,
            $"insert into {Table} (service, name, checksum, applied_at) values (@service, @Name, @Checksum, @appliedAt)",
            new
            {
                service,
                migration.Name,
                migration.Checksum,
                appliedAt = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture),
            },
            cancellationToken
        );
    }

    // However long it takes: an index over many rows is not a call that hangs.
    private static Task<int> ExecuteAsync(
        DbConnection connection,
        string sql,
        object? parameters,
        CancellationToken cancellationToken
    ) =>
        connection.ExecuteAsync(
            new CommandDefinition(sql, parameters, commandTimeout: 0, cancellationToken: cancellationToken)
        );
}
