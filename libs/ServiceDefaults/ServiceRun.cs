using System.Data.Common;
using System.Net.Sockets;
using System.Security.Cryptography;
using DroneDelivery.ServiceDefaults.Errors;
using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Options;

namespace DroneDelivery.ServiceDefaults;

public static class ServiceRun
{
    /// <summary>
    /// Runs until SIGTERM or Ctrl-C. A mistake of the caller (an option out of range, a port in use) ends with one line on standard
    /// error that names it.
    /// </summary>
    /// <returns>
    /// The exit code: 1 after such a mistake, or if a background service has failed, which stops the host. Otherwise
    /// <see cref="Environment.ExitCode"/>: 0 unless what stopped the host set it.
    /// </returns>
    public static async Task<int> RunServiceAsync(
        this WebApplication app,
        CancellationToken cancellationToken = default
    )
    {
        await using (app)
        {
            if (!await app.TryAsync("start", () => app.StartAsync(cancellationToken)))
                return 1;
            await app.WaitForShutdownAsync(cancellationToken);
            return app.HasFailed() ? 1 : Environment.ExitCode;
        }
    }

    /// <summary>Does something with the service, and ends it. A mistake of the caller ends it with one line, too.</summary>
    /// <param name="verb">What it does: for the line.</param>
    /// <returns>The exit code.</returns>
    public static async Task<int> RunVerbAsync(this WebApplication app, string verb, Func<Task> work)
    {
        await using (app)
            return await app.TryAsync(verb, work) ? 0 : 1;
    }

    private static async Task<bool> TryAsync(this WebApplication app, string verb, Func<Task> work)
    {
        try
        {
            // The host would do this too, and log a stack trace for what is one line of bad configuration.
            app.Services.GetService<IStartupValidator>()?.Validate();
            await work();
            return true;
        }
        catch (Exception exception) when (MistakeIn(exception) is { } mistake)
        {
            await Console.Error.WriteLineAsync($"{app.Environment.ApplicationName} cannot {verb}. {mistake}");
            return false;
        }
    }

    private static bool HasFailed(this WebApplication app) =>
        app
            .Services.GetServices<IHostedService>()
            .OfType<BackgroundService>()
            .Any(service => service.ExecuteTask is { IsFaulted: true });

    private static string? MistakeIn(Exception exception) =>
        exception switch
        {
            OptionsValidationException options => string.Join(" ", options.Failures),
            AggregateException several => string.Join(
                " ",
                several.InnerExceptions.Select(one => MistakeIn(one) ?? one.ToString())
            ),
            IOException { InnerException: AddressInUseException } port =>
                $"{port.Message} Choose another port with ASPNETCORE_URLS or --urls.",
            SocketException bind =>
                $"{bind.Message}. ASPNETCORE_URLS, --urls or Kestrel:Endpoints has an address that cannot be used.",
            FormatException address =>
                $"{address.Message}. Addresses (ASPNETCORE_URLS, --urls) have the form http://127.0.0.1:5000.",
            IOException or CryptographicException => $"Kestrel:Certificates: {exception.Message}",
            InvalidOperationException { Source: "Microsoft.AspNetCore.Server.Kestrel.Core" } =>
                $"Kestrel:Endpoints or Kestrel:Certificates: {exception.Message.ReplaceLineEndings(" ")}",
            DependencyUnavailableException away => away.Message,
            DbException refused => refused.Message,
            _ => null,
        };
}
