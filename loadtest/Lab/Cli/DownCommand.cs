using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Cli;

/// <summary><c>lab down</c>: stops the lab that runs.</summary>
internal sealed class DownCommand : Verb
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20), Pause = TimeSpan.FromMilliseconds(100);

    public DownCommand()
        : base("down", "Stops the running lab and every process that it started.") => HasExamples("down");

    protected override async Task<ExitCode> RunAsync(ParseResult parsed, LabContext context, CancellationToken cancellationToken)
    {
        if (LabLock.Owner() is not { } owner)
        {
            LabState.Delete(); // a lab that was killed leaves its state file; its processes ended with it
            await context.Out.Text.WriteLineAsync("Nothing is running.");
            return ExitCode.Held;
        }

        Signals.Terminate(owner.ProcessId);
        var clock = context.Time;
        for (var began = clock.GetTimestamp(); LabLock.IsHeld(); await Task.Delay(Pause, clock, cancellationToken))
        {
            if (clock.GetElapsedTime(began) < Patience)
                continue;
            Process.GetProcessById(owner.ProcessId).Kill(); // its processes end with it
            await Task.Delay(Pause, clock, cancellationToken);
            LabState.Delete();
            break;
        }

        await context.Out.Text.WriteLineAsync("Stopped.");
        return ExitCode.Held;
    }
}
