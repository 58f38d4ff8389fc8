using System.Data.Common;
using System.Text.RegularExpressions;
using Dapper;
using DbUp.Engine;
using DbUp.Support;
using Npgsql;

namespace DroneDelivery.Database.Migrations;

/// <summary>The tables of one service, which DbUp brings to the version that this build needs.</summary>
/// <param name="service">Owner of the scripts: two services may share a database.</param>
/// <param name="scripts">SQL that both engines understand. Scripts in the database but not here belong to a newer version.</param>
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

    /// <summary>Applies the missing scripts if the service may; otherwise, requires that there are none.</summary>
    public async Task PrepareAsync(DbConnection connection, bool mayChange, CancellationToken cancellationToken)
    {
        var missing = await FindMissingAsync(connection, cancellationToken);
        if (missing.Count == 0)
            return;
        if (!mayChange)
            throw new MigrationException($"The database lacks {string.Join(", ", missing)} of {service}. {HowTo}");
        Apply(grantTo: null);
    }

    /// <summary>Applies the missing scripts in one transaction, which no other migration overlaps.</summary>
    /// <param name="grantTo">PostgreSQL: the role that may read and write the rows of this service, and nothing else.</param>
    /// <returns>Names of the scripts that it applied.</returns>
    /// <exception cref="MigrationException">One failed. Nothing is changed.</exception>
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
