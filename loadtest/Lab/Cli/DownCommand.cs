using System.Diagnostics;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Cli;

internal sealed class DownCommand : Verb
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20),
        Pause = TimeSpan.FromMilliseconds(100);

    public DownCommand()
        : base("down", "Stops the running lab and every process that it started.") => HasExamples("down");

    protected override async Task<ExitCode> RunAsync()
    {
        if (LabLock.Owner() is not { } owner)
        {
            LabState.Delete(); // a lab that was killed leaves its state file; its processes ended with it
            await Out.Text.WriteLineAsync("Nothing is running.");
            return ExitCode.Held;
        }

        Signals.Terminate(owner.ProcessId);
        for (var began = Clock.GetTimestamp(); LabLock.IsHeld(); await Task.Delay(Pause, Clock, Left))
        {
            if (Clock.GetElapsedTime(began) < Patience)
                continue;
            Array.Find(Process.GetProcesses(), it => it.Id == owner.ProcessId)?.Kill(); // its processes end with it
            await Task.Delay(Pause, Clock, Left);
            LabState.Delete();
            break;
        }

        await Out.Text.WriteLineAsync("Stopped.");
        return ExitCode.Held;
    }
}
