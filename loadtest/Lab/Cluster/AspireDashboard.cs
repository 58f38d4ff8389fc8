using System.Runtime.InteropServices;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cluster;

/// <summary>
/// The Aspire dashboard, from the packages of services/AppHost: traces, metrics and logs of the services over OTLP. Only this machine
/// reaches it, and who sends to it needs its key.
/// </summary>
internal sealed class AspireDashboard : IAsyncDisposable
{
    private readonly ChildProcess _process;
    private readonly string _key = $"{Guid.NewGuid():N}";
    private readonly int _otlp;

    private AspireDashboard(Ports ports, string logs)
    {
        (Address, _otlp) = (new Uri($"http://localhost:{ports.Dashboard}/"), ports.DashboardOtlp);
        var program = Find();
        var settings = new Dictionary<string, string>
        {
            ["ASPNETCORE_URLS"] = $"http://127.0.0.1:{ports.Dashboard}",
            ["ASPIRE_DASHBOARD_OTLP_ENDPOINT_URL"] = $"http://127.0.0.1:{_otlp}",
            ["Dashboard__Frontend__AuthMode"] = "Unsecured",
            ["Dashboard__Otlp__AuthMode"] = "ApiKey",
            ["Dashboard__Otlp__PrimaryApiKey"] = _key,
            ["Dashboard__Api__AuthMode"] = "ApiKey",
            ["Dashboard__Api__PrimaryApiKey"] = _key,
        };
        _process = ChildProcess.Start(
            "dashboard",
            Path.Combine(logs, "dashboard.log"),
            Path.GetDirectoryName(program)!,
            settings,
            [program]
        );
    }

    public Uri Address { get; }

    public IReadOnlyDictionary<string, string> Settings =>
        new Dictionary<string, string>
        {
            ["OTEL_EXPORTER_OTLP_ENDPOINT"] = $"http://127.0.0.1:{_otlp}",
            ["OTEL_EXPORTER_OTLP_HEADERS"] = $"x-otlp-api-key={_key}",
            ["OTEL_METRIC_EXPORT_INTERVAL"] = "5000", // ms: a person is watching
        };

    /// <summary>Returns when its page answers.</summary>
    public static async Task<AspireDashboard> StartAsync(Ports ports, string logs, CancellationToken cancellationToken)
    {
        Ports.EnsureFree([("the dashboard", ports.Dashboard), ("telemetry of the dashboard", ports.DashboardOtlp)]);
        Directory.CreateDirectory(logs);
        var dashboard = new AspireDashboard(ports, logs);
        try
        {
            using var readiness = new Readiness(dashboard._process.CrashAsync(), new Progress<(int, int)>(), all: 1);
            await readiness.WaitAsync(
                dashboard._process,
                asked => Ports.AcceptsAsync(ports.Dashboard, asked),
                cancellationToken
            );
            return dashboard;
        }
        catch
        {
            await dashboard.DisposeAsync();
            throw;
        }
    }

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    public static bool IsInstalled => Program() is not null;

    private static string Find() =>
        Program()
        ?? throw new LabException(
            "The dashboard comes with the packages of the AppHost: `dotnet restore services/AppHost` fetches them."
        );

    private static string? Program()
    {
        var packages = Environment.GetEnvironmentVariable("NUGET_PACKAGES")
            ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".nuget", "packages");
        var system = OperatingSystem.IsMacOS() ? "osx" : "linux";
        var folder = Path.Combine(
            packages,
            $"aspire.dashboard.sdk.{system}-{RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant()}"
        );
        var newest = Directory.Exists(folder)
            ? Directory
                .EnumerateDirectories(folder)
                .MaxBy(version => Version.TryParse(Path.GetFileName(version), out var it) ? it : new())
            : null;
        return
            newest is not null
            && Path.Combine(newest, "tools", "Aspire.Dashboard") is var program
            && File.Exists(program)
            ? program
            : null;
    }
}
