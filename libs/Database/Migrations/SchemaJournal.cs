using System.Data;
using System.Globalization;
using Dapper;
using DbUp.Engine;
using DbUp.Engine.Transactions;

namespace DroneDelivery.Database.Migrations;

/// <summary>
/// Table <c>schema_migrations</c>: the applied scripts of all services of a database. Reading takes the migration lock, so that concurrent
/// replicas apply each script once.
/// </summary>
internal sealed class SchemaJournal(IConnectionManager connections, string takeLock, string service, TimeProvider time)
    : IJournal
{
    public const string SelectNames = "select name from schema_migrations where service = @service";

    // Only versions before DbUp wrote a checksum.
    private const string CreateTable = """
        create table if not exists schema_migrations (
            service text not null, name text not null, checksum text not null, applied_at text not null,
            primary key (service, name));
        """;

    public string[] GetExecutedScripts() =>
        connections.ExecuteCommandsWithManagedConnection(createCommand =>
        {
            Execute(createCommand, takeLock + CreateTable);
            using var command = createCommand();
            return command.Connection!.Query<string>(SelectNames, new { service }, command.Transaction).ToArray();
        });

    public void StoreExecutedScript(SqlScript script, Func<IDbCommand> dbCommandFactory) =>
        Execute(
            dbCommandFactory,
            "insert into schema_migrations (service, name, checksum, applied_at) values (@service, @Name, '', @now)",
            new
            {
                service,
                script.Name,
                now = time.GetUtcNow().ToString("O", CultureInfo.InvariantCulture),
            }
        );

    public void EnsureTableExistsAndIsLatestVersion(Func<IDbCommand> dbCommandFactory) { }

    private static void Execute(Func<IDbCommand> createCommand, string sql, object? parameters = null)
    {
        using var command = createCommand();
        command.Connection!.Execute(sql, parameters, command.Transaction, commandTimeout: 0);
    }
}
