using DroneDelivery.ServiceDefaults;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Database;

/// <summary>The command <c>--migrate</c>, which migrates the tables and exits.</summary>
public static class MigrateCommand
{
    public const string Argument = "--migrate";

    /// <summary>Returns the arguments for the configuration, which would read the next argument as the value of <c>--migrate</c>.</summary>
    public static string[] GetConfigurationArguments(string[] args) =>
        [.. args.Where(argument => argument != Argument)];

    public static Task<int> RunOrMigrateAsync(this WebApplication app, string[] args) =>
        args.Contains(Argument) ? app.RunCommandAsync("migrate", () => MigrateAsync(app)) : app.RunServiceAsync();

    private static async Task MigrateAsync(WebApplication app)
    {
        var role = app.Services.GetRequiredService<IOptions<DatabaseOptions>>().Value.GrantTo;
        var applied = await app.Services.GetRequiredService<SqlDatabase>().MigrateAsync(role, CancellationToken.None);
        var done = applied.Count == 0 ? "nothing to apply" : $"applied {string.Join(", ", applied)}";
        var granted = role is null ? "" : $"; role {role} may read and write the rows";
        await Console.Out.WriteLineAsync($"{app.Environment.ApplicationName}, migrate: {done}{granted}.");
    }
}
