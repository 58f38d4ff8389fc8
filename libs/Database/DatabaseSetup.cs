using System.Data.Common;
using Azure.Identity;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

public static class DatabaseSetup
{
    /// <summary>Registers <see cref="SqlDatabase"/> from <c>Database:ConnectionString</c>, and its health check.</summary>
    /// <param name="services">The service collection.</param>
    /// <param name="defaultFile">The SQLite file when no connection string is given.</param>
    /// <param name="schema">Statements that create what is missing, valid in both engines and harmless when repeated.</param>
    public static IServiceCollection AddDatabase(this IServiceCollection services, string defaultFile, string schema)
    {
        services.AddValidatedOptions<DatabaseOptions>(DatabaseOptions.Section)
            .PostConfigure(options => options.ConnectionString ??= $"Data Source={defaultFile}")
            .Validate(
                options => EngineOf(options.ConnectionString!) is not null,
                "Database:ConnectionString: must start with 'Data Source=' (SQLite) or 'Host=' (PostgreSQL).")
            .Validate(
                options => !options.UseIdentity || EngineOf(options.ConnectionString!) == Engine.Postgres,
                "Database:UseIdentity: only PostgreSQL knows identities; SQLite is a file.");
        services.AddSingleton(provider => Create(provider, schema));
        services.AddDependency(
            "database",
            SqlDatabase.DoesNotAnswer,
            (provider, cancellationToken) => provider.GetRequiredService<SqlDatabase>().ProbeAsync(cancellationToken));
        return services;
    }

    private static SqlDatabase Create(IServiceProvider provider, string schema)
    {
        var options = provider.GetRequiredService<IOptions<DatabaseOptions>>().Value;
        var connectionString = options.ConnectionString!;
        IDatabaseEngine engine = EngineOf(connectionString) == Engine.Sqlite
            ? new SqliteEngine(connectionString, options.WriteTimeout)
            : new PostgresEngine(connectionString, options.WriteTimeout, options.UseIdentity ? new DefaultAzureCredential() : null);
        return new SqlDatabase(engine, schema, provider.GetRequiredService<ILogger<SqlDatabase>>());
    }

    private static Engine? EngineOf(string connectionString)
    {
        try
        {
            var keys = new DbConnectionStringBuilder { ConnectionString = connectionString };
            return keys.ContainsKey("Data Source") ? Engine.Sqlite : keys.ContainsKey("Host") ? Engine.Postgres : null;
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private enum Engine { Sqlite, Postgres }
}
