using System.Data.Common;
using System.Text.RegularExpressions;
using Dapper;
using DbUp.Engine;
using DbUp.Support;
using Npgsql;

namespace DroneDelivery.Database.Migrations;

/// <summary>Migrates the tables of a service with DbUp.</summary>
/// <param name="service">The owner of the scripts; services may share a database.</param>
/// <param name="scripts">SQL for both engines. Other scripts in the journal belong to a newer version.</param>
public sealed partial class Schema(
    IDatabaseEngine engine,
    string service,
    IReadOnlyList<SqlScript> scripts,
    TimeProvider time
)
{
    private const string GrantName = "Database:GrantTo";

    private const string HowTo =
        $"Run the service once with {MigrateCommand.Argument}, as a role that may create tables.";

    public IReadOnlyList<string> Tables { get; } =
    [
        .. scripts
            .SelectMany(script => CreatedTable().Matches(script.Contents))
            .Select(match => match.Groups[1].Value)
            .Distinct(),
    ];

    /// <summary>Applies missing scripts, or throws if <paramref name="mayChange"/> is <c>false</c>.</summary>
    public async Task PrepareAsync(DbConnection connection, bool mayChange, CancellationToken cancellationToken)
    {
        var missing = await FindMissingAsync(connection, cancellationToken);
        if (missing.Count == 0)
            return;
        if (!mayChange)
            throw new MigrationException($"The database lacks {string.Join(", ", missing)} of {service}. {HowTo}");
        Apply(grantTo: null);
    }

    /// <summary>Applies missing scripts in one transaction, serialized with other migrations.</summary>
    /// <param name="grantTo">The PostgreSQL role that gets access to the rows; <c>null</c> for none.</param>
    /// <returns>The names of the applied scripts.</returns>
    /// <exception cref="MigrationException">A script failed, and nothing was changed.</exception>
    public IReadOnlyList<string> Apply(string? grantTo)
    {
        var upgrade = engine
            .CreateUpgrade()
            .WithScripts(scripts)
            .JournalTo((connections, _) => new SchemaJournal(connections(), engine.MigrationLock, service, time))
            .WithTransaction()
            .WithVariablesDisabled()
            .WithExecutionTimeout(TimeSpan.Zero)
            .LogToNowhere();
        if (grantTo is not null)
            upgrade.WithScript(GrantName, GrantsFor(grantTo), new() { ScriptType = ScriptType.RunAlways });

        var result = upgrade.Build().PerformUpgrade();
        if (result.Successful)
            return [.. result.Scripts.Select(script => script.Name).Where(name => name != GrantName)];
        if (result.ErrorScript is null && result.Error is not PostgresException)
            throw result.Error;
        throw new MigrationException(
            $"{result.ErrorScript?.Name ?? "Migration"} of {service} failed and changed nothing: {result.Error.Message} {HowTo}",
            result.Error
        );
    }

    private async Task<IReadOnlyList<string>> FindMissingAsync(
        DbConnection connection,
        CancellationToken cancellationToken
    )
    {
        var select = new CommandDefinition(
            SchemaJournal.SelectNames,
            new { service },
            cancellationToken: cancellationToken
        );
        var names = scripts.Select(script => script.Name);
        try
        {
            return [.. names.Except(await connection.QueryAsync<string>(select))];
        }
        catch (DbException exception) when (StoreErrors.IsMissingTable(exception))
        {
            return [.. names];
        }
    }

    private string GrantsFor(string role)
    {
        var to = $"\"{role.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
        var tables = string.Join(", ", Tables);
        return $"grant select on schema_migrations to {to}; grant select, insert, update, delete on {tables} to {to}";
    }

    [GeneratedRegex(@"^create table (?:if not exists )?(\w+)", RegexOptions.Multiline)]
    private static partial Regex CreatedTable();
}
