using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Load;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Cli;

internal sealed class SendCommand : Verb
{
    private readonly Option<int> _count = OptionOf.WholeNumber("-n", 20, 1, 100_000, "Deliveries to send.", "--count");

    private readonly Option<int> _callers = OptionOf.WholeNumber("--callers", 20, 1, 1000, "Concurrent deliveries.");

    private readonly Option<string?> _through = OptionOf.Text(
        "--through",
        "gateway",
        "Send through the gateway of `./lab up --with gateway`."
    );

    public SendCommand()
        : base(
            "send",
            "Runs the k6 script loadtest/k6/smoke.js on the application of `./lab up`: sends deliveries and follows each until it is "
                + "recorded or has failed. Exit code 1 if one failed."
        )
    {
        Takes(_count, _callers, _through);
        HasExamples("send", "send -n 200", "send -n 200 --through gateway", "send -n 1000 --callers 50");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        var door = Get(_through) is { } name
            ? Nearest.Named("a service to send through", name, [Service.Gateway], service => service.Name)
            : Service.Ingestion;
        var urls = LabState.Running().Of(door).Select(replica => $"{replica.Url}".TrimEnd('/')).ToList();
        if (urls.Count == 0)
        {
            throw new LabException(
                "The gateway isn't running. Start the application with it: `./lab up --with gateway`."
            );
        }

        var start = new ProcessStartInfo(
            K6Driver.RequireExecutable(),
            ["run", "--quiet", "--no-usage-report", "--address", "", K6Driver.ScriptPath("smoke")]
        )
        {
            Environment =
            {
                ["DELIVERIES"] = $"{Get(_count)}",
                ["CALLERS"] = $"{Get(_callers)}",
                ["TARGETS"] = string.Join(',', urls),
            },
        };
        if (door == Service.Gateway)
            start.Environment["KEY"] = ApplicationPlan.GatewayKey;
        using var k6 = Process.Start(start)!;
        // Ctrl-C reaches k6 too, which then prints its summary.
        await k6.WaitForExitAsync(CancellationToken.None);
        return k6.ExitCode == 0 ? ExitCode.Held
            : Stopping.IsCancellationRequested ? ExitCode.Interrupted
            : ExitCode.Failed;
    }
}
