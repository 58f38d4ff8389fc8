using DroneDelivery.LabAgent;
using DroneDelivery.Testing;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.LabAgent;

public sealed class AddressFileTests
{
    [Fact]
    public async Task A_file_is_looked_at_once_a_second_and_no_more()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(2);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = InLab(file, time);
        await caller.CallAsync(1);

        folder.Write("backend.addresses", replicas.All[1].Address);
        time.Advance(TimeSpan.FromSeconds(0.9));
        await caller.CallAsync(3);
        Assert.Equal(0, replicas.All[1].Calls);
        time.Advance(TimeSpan.FromSeconds(0.1));
        await caller.CallAsync(3);

        Assert.Equal([4, 3], replicas.All.Select(replica => replica.Calls));
    }

    [Fact]
    public async Task Replicas_that_come_and_go_in_the_file_do_so_while_the_caller_runs()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(3);
        var file = folder.Write("backend.addresses", replicas.All[0].Address, replicas.All[1].Address);
        await using var caller = InLab(file, time);
        await caller.CallAsync(10);

        folder.Write("backend.addresses", replicas.All[1].Address, replicas.All[2].Address);
        time.Advance(TimeSpan.FromSeconds(1));
        await caller.CallAsync(10);

        Assert.Equal([5, 10, 5], replicas.All.Select(replica => replica.Calls));
    }

    [Fact]
    public async Task A_file_that_cannot_be_used_changes_nothing()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(2);
        var file = folder.Write("backend.addresses", replicas.All[0].Address, replicas.All[1].Address);
        await using var caller = InLab(file, time);
        await caller.CallAsync(10);

        folder.Write("backend.addresses", "somewhere");
        time.Advance(TimeSpan.FromSeconds(1));
        await caller.CallAsync(10);
        File.Delete(file);
        time.Advance(TimeSpan.FromSeconds(1));
        await caller.CallAsync(10);

        Assert.Equal([15, 15], replicas.All.Select(replica => replica.Calls));
    }

    [Fact]
    public async Task A_replica_that_stays_keeps_its_connection()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(2);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = InLab(file, time);
        await caller.CallAsync(1);

        folder.Write("backend.addresses", replicas.All[0].Address, replicas.All[1].Address);
        time.Advance(TimeSpan.FromSeconds(1));
        await caller.CallAsync(4);

        Assert.Equal([3, 2], replicas.All.Select(replica => replica.Calls));
        Assert.Single(replicas.All[0].Connections.Distinct());
    }

    [Fact]
    public async Task A_file_that_cannot_be_used_is_logged_once_however_often_it_is_looked_at()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(1);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = InLab(file, time);
        await caller.CallAsync(1);

        folder.Write("backend.addresses", "somewhere");
        for (var i = 0; i < 3; i++)
        {
            time.Advance(TimeSpan.FromSeconds(1));
            await caller.CallAsync(1);
        }

        Assert.Single(caller.Logs.Lines, line => line.Contains("The addresses stay as they were.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Addresses_in_a_file_and_in_the_configuration_are_refused()
    {
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(1);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = InLab(file, TimeProvider.System, replicas.All);

        var exception = Assert.Throws<OptionsValidationException>(caller.Validate);

        Assert.Contains("Services:backend:File: there is Services:backend:0, too.", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_named_by_its_option()
    {
        await using var caller = InLab("/nowhere/backend.addresses", TimeProvider.System);

        var exception = Assert.Throws<OptionsValidationException>(caller.Validate);

        Assert.Contains("Services:backend:File", exception.Message, StringComparison.Ordinal);
    }

    private static Caller InLab(string file, TimeProvider time, params FakeReplica[] replicas) =>
        new(new() { ["Services:backend:File"] = file }, time, services => services.AddLab(), replicas);
}
