using DroneDelivery.ServiceDefaults;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

/// <summary>
/// <c>--migrate</c>: the process brings its tables to what its version needs, and ends. It takes a role that may create tables.
/// </summary>
public static class MigrateCommand
{
    public const string Argument = "--migrate";

    /// <summary>What the configuration may read: to it an argument without a value would swallow the next one.</summary>
    public static string[] SettingsIn(string[] args) => [.. args.Where(argument => argument != Argument)];

    /// <returns>The exit code.</returns>
    public static Task<int> RunOrMigrateAsync(this WebApplication app, string[] args) => args.Contains(Argument)
        ? app.RunOnceAsync("migrate", token => MigrateAsync(app.Services, token))
        : app.RunServiceAsync();

    private static async Task<string> MigrateAsync(IServiceProvider services, CancellationToken cancellationToken)
    {
        var role = services.GetRequiredService<IOptions<DatabaseOptions>>().Value.GrantTo;
        var applied = await services.GetRequiredService<SqlDatabase>().MigrateAsync(role, cancellationToken);
        var done = applied.Count == 0 ? "nothing was missing" : $"applied {string.Join(", ", applied)}";
        return role is null ? $"{done}." : $"{done}; role {role} may read and write the rows.";
    }
}
