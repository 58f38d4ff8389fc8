namespace DroneDelivery.ServiceDefaults;

public static partial class ServiceRun
{
    /// <summary>
    /// Runs until SIGTERM or Ctrl-C. A startup error, such as an invalid option or a port in use, is one line on standard error.
    /// </summary>
    /// <param name="prepare">Runs before the start, for example to map routes that depend on options.</param>
    /// <returns>1 if the start or a background service failed; otherwise, <see cref="Environment.ExitCode"/>.</returns>
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

    /// <summary>Runs a command instead of the service. An error is one line on standard error.</summary>
    /// <param name="verb">The verb for the error message, for example <c>migrate</c>.</param>
    public static async Task<int> RunCommandAsync(this WebApplication app, string verb, Func<Task> work)
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

    // Only bugs need the stack trace.
    [LoggerMessage(Level = LogLevel.Debug, Message = "The service could not {Verb}.")]
    private static partial void LogFailure(ILogger logger, string verb, Exception exception);

    private static bool HasFailed(this WebApplication app) =>
        app
            .Services.GetServices<IHostedService>()
            .OfType<BackgroundService>()
            .Any(service => service.ExecuteTask is { IsFaulted: true });
}
