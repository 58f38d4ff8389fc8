using System.Diagnostics;
using DroneDelivery.Lab.Cluster;

namespace DroneDelivery.Lab.Cli;

internal sealed class DownCommand : Verb
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(20),
        Pause = TimeSpan.FromMilliseconds(100);

    public DownCommand()
        : base("down", "Stops the running lab and every process that it started.") => HasExamples("down");

    protected override async Task<ExitCode> RunAsync()
    {
        if (LabLock.Owner() is not { } owner)
        {
            LabState.Delete(); // a killed lab leaves its state file; its processes have exited with it
            await Out.Text.WriteLineAsync("Nothing is running.");
            return ExitCode.Held;
        }

        Signals.Terminate(owner.ProcessId);
        for (var began = Clock.GetTimestamp(); LabLock.IsHeld(); await Task.Delay(Pause, Clock, Stopping))
        {
            if (Clock.GetElapsedTime(began) < MaxWait)
                continue;
            Array.Find(Process.GetProcesses(), process => process.Id == owner.ProcessId)?.Kill(); // its processes exit with it
            await Task.Delay(Pause, Clock, Stopping);
            LabState.Delete();
            break;
        }

        await Out.Text.WriteLineAsync("Stopped.");
        return ExitCode.Held;
    }
}
