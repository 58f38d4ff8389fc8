using System.Data.Common;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults;

public static class ServiceRun
{
    /// <summary>
    /// Runs until SIGTERM or Ctrl-C. A mistake of the caller (an option out of range, a port in use) ends with one line on standard
    /// error that names it.
    /// </summary>
    /// <returns>
    /// The exit code: 1 after such a mistake, otherwise <see cref="Environment.ExitCode"/>. It is 0 unless what stopped the host set it.
    /// </returns>
    public static Task<int> RunServiceAsync(this WebApplication app, CancellationToken cancellationToken = default) => app.RunAsync(
        "start",
        async () =>
        {
            await app.StartAsync(cancellationToken);
            await app.WaitForShutdownAsync(cancellationToken);
            return Environment.ExitCode;
        });

    /// <summary>
    /// Does one thing instead of serving, with the service's options, and prints one line: what was done, or what is wrong.
    /// </summary>
    /// <param name="app">The service.</param>
    /// <param name="verb">What it does.</param>
    /// <param name="work">Returns what it has done.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The exit code.</returns>
    public static Task<int> RunOnceAsync(
        this WebApplication app, string verb, Func<CancellationToken, Task<string>> work, CancellationToken cancellationToken = default) =>
        app.RunAsync(
            verb,
            async () =>
            {
                await Console.Out.WriteLineAsync($"{app.Environment.ApplicationName}, {verb}: {await work(cancellationToken)}");
                return 0;
            });

    private static async Task<int> RunAsync(this WebApplication app, string verb, Func<Task<int>> work)
    {
        ArgumentNullException.ThrowIfNull(app);
        try
        {
            // The host would do this too, and log a stack trace for what is one line of bad configuration.
            app.Services.GetService<IStartupValidator>()?.Validate();
            return await work();
        }
        catch (Exception exception) when (MistakeIn(exception) is { } mistake)
        {
            await Console.Error.WriteLineAsync($"{app.Environment.ApplicationName} cannot {verb}. {mistake}");
            return 1;
        }
        finally
        {
            await app.DisposeAsync();
        }
    }

    private static string? MistakeIn(Exception exception) => exception switch
    {
        OptionsValidationException options => string.Join(" ", options.Failures),
        AggregateException several => string.Join(" ", several.InnerExceptions.Select(one => MistakeIn(one) ?? one.ToString())),
        IOException { InnerException: AddressInUseException } port => $"{port.Message} Choose another port with ASPNETCORE_URLS or --urls.",
        DependencyUnavailableException away => away.Message,
        DbException refused => refused.Message,
        _ => null,
    };
}
