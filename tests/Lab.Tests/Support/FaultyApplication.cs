using System.Globalization;

namespace DroneDelivery.Lab.Tests.Support;

/// <summary>Tests that break one application, one after the other: it takes seconds to start.</summary>
[CollectionDefinition(Name)]
public sealed class SharedApplication : ICollectionFixture<FaultyApplication>
{
    public const string Name = "faults";
}

/// <summary>The real application with two Workflows and short locks. Whoever breaks it mends it.</summary>
public sealed class FaultyApplication : IAsyncLifetime
{
    /// <summary>How long a message is locked: <c>FAULTS_LOCK_SECONDS</c>, or a second.</summary>
    public static TimeSpan Lock { get; } = TimeSpan.FromSeconds(Number("FAULTS_LOCK_SECONDS", 1));

    /// <summary>How many processes are killed: <c>FAULTS_KILLS</c>, or a few.</summary>
    public static int Kills { get; } = Number("FAULTS_KILLS", 8);

    /// <summary>Of what is random: <c>FAULTS_SEED</c>, or 1.</summary>
    public static int Seed { get; } = Number("FAULTS_SEED", 1);

    internal RunningApplication Running { get; private set; } = null!;

    public async ValueTask InitializeAsync() => Running = await RunningApplication.StartAsync(
        "none", "workflow.replicas=2", $"queue.lockDuration={Lock.TotalSeconds}", "workflow.postponeDelay=0.1");

    public async ValueTask DisposeAsync()
    {
        if (Running is not null)
            await Running.DisposeAsync();
    }

    /// <summary>Until every message and every dead letter is dealt with; on a slow machine such short locks are lost often.</summary>
    internal Task QuietAsync() =>
        Running.QueueWhenAsync(queue => queue is { Queued: 0, DeadLetter: 0 }, longer: TimeSpan.FromMinutes(2) + 2 * Lock);

    internal ChildProcess Process(string name) => Running.Application.Processes.Single(process => process.Name == name);

    private static int Number(string variable, int otherwise) =>
        Environment.GetEnvironmentVariable(variable) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
