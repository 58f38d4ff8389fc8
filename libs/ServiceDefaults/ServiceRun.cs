namespace DroneDelivery.ServiceDefaults;

public static partial class ServiceRun
{
    /// <summary>
    /// Runs until SIGTERM or Ctrl-C. An error at startup, such as an invalid option or a port in use, is one line on standard error.
    /// </summary>
    /// <param name="prepare">Runs first, for example to map routes that depend on options.</param>
    /// <returns>
    /// The exit code: 1 after such an error, or if a background service has failed, which stops the host. Otherwise
    /// <see cref="Environment.ExitCode"/>: 0 unless what stopped the host set it.
    /// </returns>
    public static async Task<int> RunServiceAsync(
        this WebApplication app,
        Action? prepare = null,
        CancellationToken cancellationToken = default
    )
    {
        await using (app)
        {
            var hasStarted = await app.TryAsync("start", () =>
            {
                prepare?.Invoke();
                return app.StartAsync(cancellationToken);
            });
            if (!hasStarted)
                return 1;
            await app.WaitForShutdownAsync(cancellationToken);
            return app.HasFailed() ? 1 : Environment.ExitCode;
        }
    }

    /// <summary>Runs a command of the service instead of the service. An error is one line on standard error, too.</summary>
    /// <param name="verb">The command, for the line.</param>
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
            await work();
            return true;
        }
        catch (Exception exception)
        {
            var cause = $"{exception.Message} {exception.InnerException?.Message}".ReplaceLineEndings(" ");
            await Console.Error.WriteLineAsync($"{app.Environment.ApplicationName} cannot {verb}. {cause}");
            LogFailure(app.Logger, verb, exception);
            return false;
        }
    }

    // At Debug level: for most errors the line is enough, and a bug needs the stack trace.
    [LoggerMessage(Level = LogLevel.Debug, Message = "The service could not {Verb}.")]
    private static partial void LogFailure(ILogger logger, string verb, Exception exception);

    private static bool HasFailed(this WebApplication app) =>
        app
            .Services.GetServices<IHostedService>()
            .OfType<BackgroundService>()
            .Any(service => service.ExecuteTask is { IsFaulted: true });
}
