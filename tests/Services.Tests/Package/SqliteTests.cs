using System.Net;
using System.Text.Json;
using Dapper;
using DroneDelivery.Database;
using DroneDelivery.Package;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>A file that cannot be written for a while. The connection pool is the process's: a test does to it what a disk does.</summary>
public sealed class SqliteTests : IDisposable
{
    private readonly ServiceOnSqlite<PackageStore> _service = new(hasRealTime: true, writeTimeout: "00:00:00.050");

    private HttpClient Http => _service.Http;

    public void Dispose() => _service.Dispose();

    [Fact]
    public async Task Connections_that_cannot_write_are_dropped_and_the_next_request_succeeds()
    {
        await PutAsync(HttpStatusCode.Created, "before");
        await PoisonAsync();

        await PutAsync(HttpStatusCode.ServiceUnavailable);
        await PutAsync(HttpStatusCode.Created);
    }

    [Fact]
    public async Task The_health_check_finds_connections_that_cannot_write_and_cures_them()
    {
        await IsReadyAsync();
        await PoisonAsync();

        Assert.Equal("Degraded", (await Http.CheckAsync("database")).Status);
        await IsReadyAsync();
        await PutAsync(HttpStatusCode.Created);
    }

    [Fact]
    public async Task Work_that_fails_half_way_changes_nothing_and_the_next_request_succeeds()
    {
        await PutAsync(HttpStatusCode.Created, "before");
        var database = _service.Host.Services.GetRequiredService<SqlDatabase>();

        await Assert.ThrowsAsync<InvalidOperationException>(() => database.ExclusiveAsync<int>(
            async session =>
            {
                await session.ExecuteAsync("delete from packages", null);
                throw new InvalidOperationException("half way");
            },
            Cancelled));

        await PutAsync(HttpStatusCode.Created, "after");
        await PutAsync(HttpStatusCode.OK, "before");
    }

    [Fact]
    public async Task Reads_that_succeed_do_not_end_an_outage_of_writes()
    {
        await PutAsync(HttpStatusCode.Created, "before");
        await using (var writer = await LockAsync())
        {
            var problem = await PutAsync(HttpStatusCode.ServiceUnavailable);
            Assert.Equal("urn:drone-delivery:database-unavailable", problem.GetProperty("type").GetString());
            (await Http.SendAsync(HttpMethod.Get, "/api/packages/before")).EnsureSuccessStatusCode();
            await PutAsync(HttpStatusCode.ServiceUnavailable);
            Assert.Empty(_service.Host.Logs.With("database works again."));
        }
        await PutAsync(HttpStatusCode.Created);

        Assert.Single(_service.Host.Logs.With("Database:WriteTimeout"));
        Assert.Single(_service.Host.Logs.With("Writing to the database works again."));
    }

    [Fact]
    public async Task A_write_that_waits_too_long_for_another_of_its_own_process_is_503()
    {
        var (begun, end) = (new TaskCompletionSource(), new TaskCompletionSource<int>());
        var other = _service.Host.Services.GetRequiredService<SqlDatabase>().ExclusiveAsync(
            _ =>
            {
                begun.SetResult();
                return end.Task;
            },
            Cancelled);
        await begun.Task;

        await PutAsync(HttpStatusCode.ServiceUnavailable);
        end.SetResult(0);

        await other;
        await PutAsync(HttpStatusCode.Created);
    }

    /// <summary>What SQLite does to connections opened while the file is read-only: they answer, and refuse to write (error 8).</summary>
    private async Task PoisonAsync()
    {
        var idle = new List<SqliteConnection>();
        for (var i = 0; i < 4; i++)
        {
            idle.Add(await OpenAsync());
            await idle[^1].ExecuteAsync("PRAGMA query_only=1");
        }
        foreach (var connection in idle)
            await connection.DisposeAsync();
    }

    private async Task<SqliteConnection> LockAsync()
    {
        var writer = new SqliteConnection($"{_service.Settings["Database:ConnectionString"]};Pooling=False");
        await writer.OpenAsync(Cancelled);
        await writer.ExecuteAsync("BEGIN IMMEDIATE");
        return writer;
    }

    private async Task<SqliteConnection> OpenAsync()
    {
        var connection = new SqliteConnection(_service.Settings["Database:ConnectionString"]);
        await connection.OpenAsync(Cancelled);
        return connection;
    }

    private async Task<JsonElement> PutAsync(HttpStatusCode expected, string id = "p1")
    {
        using var response = await Http.PutAsync($"/api/packages/{id}", Packages.Sample);
        return await response.ReadAsync<JsonElement>(expected);
    }

    // Each answer has an end of its own, and the first may take longer than it on a busy machine.
    private Task IsReadyAsync() => Eventually.TrueAsync(async () => (await Http.CheckAsync("database")).Status == "Healthy");
}
