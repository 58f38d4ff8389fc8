using System.CommandLine;
using System.Diagnostics;
using DroneDelivery.Lab.Processes;

namespace DroneDelivery.Lab.Commands;

/// <summary><c>lab down</c>: stops the lab that runs.</summary>
internal static class DownCommand
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(20), Pause = TimeSpan.FromMilliseconds(100);

    public static Command Create()
    {
        var command = new Command("down", "Stops the running lab and every process that it started.").WithExamples("down");
        command.SetAction((_, cancellationToken) => StopAsync(cancellationToken));
        return command;
    }

    private static async Task<int> StopAsync(CancellationToken cancellationToken)
    {
        if (LabLock.Owner() is not { } owner)
        {
            LabState.Delete(); // a lab that was killed leaves its state file; its processes ended with it
            Console.WriteLine("Nothing is running.");
            return 0;
        }

        Signals.Terminate(owner.ProcessId);
        for (var watch = Stopwatch.StartNew(); LabLock.IsHeld(); await Task.Delay(Pause, cancellationToken))
        {
            if (watch.Elapsed < Patience)
                continue;
            Process.GetProcessById(owner.ProcessId).Kill(); // its processes end with it
            await Task.Delay(Pause, cancellationToken);
            LabState.Delete();
            break;
        }

        Console.WriteLine("Stopped.");
        return 0;
    }
}
