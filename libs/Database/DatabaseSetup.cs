using System.Reflection;
using Azure.Identity;
using DbUp.Engine;
using DbUp.ScriptProviders;
using DroneDelivery.Database.Migrations;
using DroneDelivery.ServiceDefaults.Configuration;
using DroneDelivery.ServiceDefaults.Health;
using DroneDelivery.ServiceDefaults.Metrics;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

public static class DatabaseSetup
{
    /// <summary>Registers <see cref="SqlDatabase"/> and its health check.</summary>
    /// <param name="service">The owner of the tables, and the name of the default SQLite file.</param>
    /// <param name="migrations">The assembly that embeds the SQL files of <c>Migrations</c>.</param>
    public static IServiceCollection AddDatabase(this IServiceCollection services, string service, Assembly migrations)
    {
        services
            .AddValidatedOptions<DatabaseOptions>(DatabaseOptions.Section)
            .PostConfigure(options => options.ConnectionString ??= $"Data Source={service}.db")
            .Validate(
                options => IsSqlite(options) || IsPostgres(options),
                "Database:ConnectionString: must have 'Data Source=' (SQLite) or 'Host=' (PostgreSQL)."
            )
            .Validate(
                options => IsPostgres(options) || (!options.UseIdentity && options.GrantTo is null),
                "Database:UseIdentity, Database:GrantTo: require PostgreSQL; SQLite has neither identities nor roles."
            );
        services.AddMetrics().AddSingleton<StoreMetrics>();
        services.AddSingleton(CreateEngine);
        services.AddSingleton(provider =>
            ActivatorUtilities.CreateInstance<Schema>(provider, service, ScriptsOf(migrations))
        );
        services.AddSingleton<SqlDatabase>();
        services.AddDependency("database", SqlDatabase.UnavailableMessage, (provider, cancellationToken) =>
            provider.GetRequiredService<SqlDatabase>().ProbeAsync(cancellationToken)
        );
        return services;
    }

    internal static IReadOnlyList<SqlScript> ScriptsOf(Assembly assembly) =>
        [
            .. new EmbeddedScriptProvider(assembly, name => name.EndsWith(".sql", StringComparison.Ordinal)).GetScripts(
                null
            ),
        ];

    private static IDatabaseEngine CreateEngine(IServiceProvider provider)
    {
        var options = provider.GetRequiredService<IOptions<DatabaseOptions>>().Value;
        var credential = options.UseIdentity ? new DefaultAzureCredential() : null;
        return IsSqlite(options)
            ? new SqliteEngine(
                options.ConnectionString!,
                options.WriteTimeout,
                provider.GetRequiredService<TimeProvider>()
            )
            : new PostgresEngine(options.ConnectionString!, options.WriteTimeout, credential);
    }

    private static bool IsSqlite(DatabaseOptions options) => Has(options, "Data Source=");

    private static bool IsPostgres(DatabaseOptions options) => Has(options, "Host=");

    private static bool Has(DatabaseOptions options, string key) =>
        options.ConnectionString!.Contains(key, StringComparison.OrdinalIgnoreCase);
}
