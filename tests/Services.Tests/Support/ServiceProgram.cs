using System.Reflection;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>The Program of a service inside the test's process, for a run that ends on its own.</summary>
internal static class ServiceProgram
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    /// <returns>The exit code, and the output of the Program, including its log.</returns>
    public static async Task<(int ExitCode, string Output, string Errors)> RunAsync(
        string service,
        Dictionary<string, string?> settings,
        string? command = null
    )
    {
        var name = $"DroneDelivery.{service}";
        var main = Assembly.Load(name).EntryPoint!;
        var all = settings.And(new() { ["urls"] = "http://127.0.0.1:0", ["applicationName"] = name });
        string[] arguments = [.. all.Select(setting => $"--{setting.Key}={setting.Value}")];
        if (command is not null)
            arguments = [command, .. arguments];

        var console = CapturedConsole.Begin();
        var exitCode = await Task.Run(
                () => (int)main.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [arguments], null)!,
                Cancelled
            )
            .WaitAsync(Limit, Cancelled);
        return (exitCode, console.Output, console.Errors);
    }

    /// <returns>The only line that the Program prints before it exits.</returns>
    public static async Task<string> RejectionAsync(
        string service,
        Dictionary<string, string?> settings,
        string? command = null
    )
    {
        var (exitCode, output, errors) = await RunAsync(service, settings, command);
        return ServiceProcess.LineOf(service, command, exitCode, output, errors);
    }
}
