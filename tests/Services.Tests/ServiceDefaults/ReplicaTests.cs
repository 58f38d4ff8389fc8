using System.Net;
using DroneDelivery.Testing;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Services.Tests.ServiceDefaults;

public sealed class ReplicaTests
{
    [Fact]
    public async Task Calls_rotate_over_the_replicas_one_after_the_other()
    {
        await using var replicas = await Replicas.StartAsync(3);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);

        await caller.CallAsync(30);

        Assert.All(replicas.All, replica => Assert.Equal(10, replica.Calls));
    }

    [Fact]
    public async Task Calls_at_the_same_time_rotate_too()
    {
        await using var replicas = await Replicas.StartAsync(3);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);

        await Task.WhenAll(Enumerable.Range(0, 60).Select(_ => caller.CallAsync()));

        Assert.All(replicas.All, replica => Assert.Equal(20, replica.Calls));
    }

    [Fact]
    public async Task A_replica_sees_the_logical_name()
    {
        await using var replicas = await Replicas.StartAsync(1);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);

        using var response = await caller.CallAsync();

        Assert.Equal(["backend"], replicas.All[0].Hosts);
        Assert.Equal("http://backend/anything", response.RequestMessage?.RequestUri?.ToString());
    }

    [Fact]
    public async Task A_dead_replica_is_left_out_and_used_again_once_it_is_back()
    {
        var time = new ManualTimeProvider();
        await using var replicas = await Replicas.StartAsync(3);
        await using var caller = new Caller([], time, replicas.All);
        var port = replicas.All[1].Port;
        await replicas.All[1].DisposeAsync();

        for (var i = 0; i < 30; i++)
            Assert.Equal(HttpStatusCode.OK, (await caller.CallAsync()).StatusCode);
        Assert.Equal(30, replicas.All[0].Calls + replicas.All[2].Calls);
        Assert.InRange(replicas.All[0].Calls, 10, 20);

        await using var revived = await FakeReplica.StartAsync(port);
        time.Advance(TimeSpan.FromMinutes(1));
        await caller.CallAsync(30);
        Assert.Equal(10, revived.Calls);
    }

    [Fact]
    public async Task A_dead_replica_is_not_tried_again_before_two_seconds_have_passed()
    {
        var time = new ManualTimeProvider();
        await using var replicas = await Replicas.StartAsync(2);
        await using var caller = new Caller([], time, replicas.All);
        var port = replicas.All[1].Port;
        await replicas.All[1].DisposeAsync();
        await caller.CallAsync(2);

        await using var revived = await FakeReplica.StartAsync(port);
        time.Advance(TimeSpan.FromSeconds(1.9));
        await caller.CallAsync(4);
        Assert.Equal(0, revived.Calls);

        time.Advance(TimeSpan.FromSeconds(0.2));
        await caller.CallAsync(4);
        Assert.Equal(2, revived.Calls);
    }

    [Fact]
    public async Task One_replica_that_lives_is_found_however_many_are_dead()
    {
        var time = new ManualTimeProvider();
        await using var replicas = await Replicas.StartAsync(5);
        await using var caller = new Caller([], time, replicas.All);
        foreach (var replica in replicas.All[1..])
            await replica.DisposeAsync();

        for (var i = 0; i < 5; i++)
        {
            Assert.Equal(HttpStatusCode.OK, (await caller.CallAsync()).StatusCode);
            time.Advance(TimeSpan.FromSeconds(3)); // all are tried anew
        }
        Assert.Equal(5, replicas.All[0].Calls);
    }

    [Fact]
    public async Task A_redirection_is_an_answer_and_is_not_followed()
    {
        await using var replicas = await Replicas.StartAsync(1);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);
        replicas.All[0].Answer = () => Task.FromResult(302);
        replicas.All[0].Write = response =>
        {
            response.Headers.Location = "http://backend/elsewhere";
            return Task.CompletedTask;
        };

        using var response = await caller.CallAsync();

        Assert.Equal(HttpStatusCode.Redirect, response.StatusCode);
        Assert.Equal(1, replicas.All[0].Calls);
    }

    [Fact]
    public async Task A_file_is_looked_at_once_a_second_and_no_more()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(2);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = new Caller(new() { ["Services:backend:File"] = file }, time);
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
    public async Task With_every_replica_dead_the_call_fails_with_the_connection_error()
    {
        await using var replicas = await Replicas.StartAsync(2);
        await using var caller = new Caller([], TimeProvider.System, replicas.All);
        foreach (var replica in replicas.All)
            await replica.DisposeAsync();

        var exception = await Assert.ThrowsAsync<HttpRequestException>(caller.CallAsync);

        Assert.Equal(HttpRequestError.ConnectionError, exception.HttpRequestError);
    }

    [Fact]
    public async Task Replicas_that_come_and_go_in_the_file_do_so_while_the_caller_runs()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(3);
        var file = folder.Write("backend.addresses", replicas.All[0].Address, replicas.All[1].Address);
        await using var caller = new Caller(new() { ["Services:backend:File"] = file }, time);
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
        await using var caller = new Caller(new() { ["Services:backend:File"] = file }, time);
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
    public async Task A_file_that_cannot_be_used_is_logged_once_however_often_it_is_looked_at()
    {
        var time = new ManualTimeProvider();
        using var folder = new TemporaryFolder();
        await using var replicas = await Replicas.StartAsync(1);
        var file = folder.Write("backend.addresses", replicas.All[0].Address);
        await using var caller = new Caller(new() { ["Services:backend:File"] = file }, time);
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
        await using var caller = new Caller(new() { ["Services:backend:File"] = file }, TimeProvider.System, replicas.All);

        var exception = Assert.Throws<OptionsValidationException>(caller.Validate);

        Assert.Contains("Services:backend:File: there is Services:backend:0, too.", exception.Message, StringComparison.Ordinal);
    }

    private sealed class Replicas(FakeReplica[] all) : IAsyncDisposable
    {
        public FakeReplica[] All { get; } = all;

        public static async Task<Replicas> StartAsync(int count) =>
            new(await Task.WhenAll(Enumerable.Range(0, count).Select(_ => FakeReplica.StartAsync())));

        public async ValueTask DisposeAsync()
        {
            foreach (var replica in All)
                await replica.DisposeAsync();
        }
    }
}
