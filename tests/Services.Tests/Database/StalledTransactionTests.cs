using System.Diagnostics;
using System.Net;
using Dapper;
using DroneDelivery.DroneScheduler;
using DroneDelivery.Testing;
using Npgsql;

namespace DroneDelivery.Services.Tests.Database;

/// <summary>A replica that freezes inside a transaction, like one whose node loses its network.</summary>
public sealed class StalledTransactionTests : IAsyncLifetime
{
    private PostgresFixture _server = null!;

    public async ValueTask InitializeAsync()
    {
        Assert.SkipUnless(PostgresFixture.IsInstalled, PostgresFixture.HowToInstall);
        _server = await PostgresFixture.StartAsync(Cancelled);
    }

    public ValueTask DisposeAsync() => _server?.DisposeAsync() ?? ValueTask.CompletedTask;

    [Fact]
    public async Task Frozen_replica_delays_only_its_own_delivery()
    {
        var settings = new Dictionary<string, string?> { ["Database:ConnectionString"] = _server.ConnectionString };
        await using var frozen = ServiceProcess.Start("DroneScheduler", settings);
        await frozen.ReadyAsync();
        await using var other = ServiceHost<AssignmentStore>.Start(settings.And("Database:WriteTimeout", "00:01:00"));
        await other.Http.AssignAsync("d0", Flights.Sample);
        await using var server = new NpgsqlConnection($"{_server.ConnectionString};Pooling=False");
        await server.OpenAsync(Cancelled);
        Task<int> CountAsync(string condition) =>
            server.ExecuteScalarAsync<int>(
                $"select count(*) from pg_stat_activity where pid <> pg_backend_pid() and {condition}"
            );

        // The replica waits for this lock inside its transaction, freezes, and then holds only its own locks.
        await using (var inTheWay = await server.BeginTransactionAsync(Cancelled))
        {
            await server.ExecuteAsync("lock table free_times in exclusive mode");
            _ = frozen.Http.PutAsync("/api/dronedeliveries/d1", Flights.Sample);
            await Eventually.TrueAsync(async () => await CountAsync("wait_event_type = 'Lock'") == 1);
            await SignalAsync(frozen, "STOP");
            await inTheWay.CommitAsync(Cancelled);
        }
        await Eventually.TrueAsync(async () => await CountAsync("wait_event_type = 'Lock'") == 0);

        await other.Http.AssignAsync("d2", Flights.Sample);
        await other.Http.AssignAsync("d1", Flights.Sample);

        Assert.Equal(0, await CountAsync("state like 'idle in transaction%'"));
        await SignalAsync(frozen, "CONT");
        await Eventually.TrueAsync(async () =>
            (await frozen.Http.PutAsync("/api/dronedeliveries/d1", Flights.Sample)).StatusCode == HttpStatusCode.OK
        );
    }

    private static async Task SignalAsync(ServiceProcess process, string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{process.Id}"]);
        await kill.WaitForExitAsync(Cancelled);
    }
}
