using System.Data.Common;
using System.Reflection;
using Azure.Identity;
using DroneDelivery.Database.Migrations;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

public static class DatabaseSetup
{
    /// <summary>Registers <see cref="SqlDatabase"/> from <c>Database:ConnectionString</c>, and its health check.</summary>
    /// <param name="service">Whose tables they are. With ".db" the SQLite file when no connection string is given.</param>
    /// <param name="migrations">The assembly that embeds the files of the service's folder <c>Migrations</c>.</param>
    public static IServiceCollection AddDatabase(this IServiceCollection services, string service, Assembly migrations)
    {
        services
            .AddValidatedOptions<DatabaseOptions>(DatabaseOptions.Section)
            .PostConfigure(options => options.ConnectionString ??= $"Data Source={service}.db")
            .Validate(
                options => IsSqlite(options) || IsPostgres(options),
                "Database:ConnectionString: must start with 'Data Source=' (SQLite) or 'Host=' (PostgreSQL)."
            )
            .Validate(
                options => IsPostgres(options) || !options.UseIdentity,
                "Database:UseIdentity: only PostgreSQL knows identities; SQLite is a file."
            )
            .Validate(
                options => IsPostgres(options) || options.GrantTo is null,
                "Database:GrantTo: only PostgreSQL knows roles; SQLite is a file."
            );
        var steps = Migration.AllOf(migrations);
        services.AddMetrics().AddSingleton<StoreMetrics>();
        services.AddSingleton(provider => Create(provider, service, steps));
        services.AddDependency("database", SqlDatabase.DoesNotAnswer, (provider, cancellationToken) =>
            provider.GetRequiredService<SqlDatabase>().ProbeAsync(cancellationToken)
        );
        return services;
    }

    private static SqlDatabase Create(IServiceProvider provider, string service, IReadOnlyList<Migration> steps)
    {
        var options = provider.GetRequiredService<IOptions<DatabaseOptions>>().Value;
        var connectionString = options.ConnectionString!;
        IDatabaseEngine engine = IsSqlite(options)
            ? new SqliteEngine(connectionString, options.WriteTimeout, provider.GetRequiredService<TimeProvider>())
            : new PostgresEngine(
                connectionString,
                options.WriteTimeout,
                options.UseIdentity ? new DefaultAzureCredential() : null
            );
        var metrics = provider.GetRequiredService<StoreMetrics>();
        var migrator = new Migrator(engine, service, steps, provider.GetRequiredService<TimeProvider>());
        return new SqlDatabase(
            engine,
            migrator,
            options.MigrateOnStart,
            metrics,
            provider.GetRequiredService<ILogger<SqlDatabase>>()
        );
    }

    private static bool IsSqlite(DatabaseOptions options) => Says(options.ConnectionString, "Data Source");

    private static bool IsPostgres(DatabaseOptions options) => Says(options.ConnectionString, "Host");

    private static bool Says(string? connectionString, string key)
    {
        try
        {
            return new DbConnectionStringBuilder { ConnectionString = connectionString }.ContainsKey(key);
        }
        catch (ArgumentException)
        {
            return false;
        }
    }
}
