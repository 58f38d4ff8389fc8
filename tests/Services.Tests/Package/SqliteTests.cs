using System.Net;
using System.Text.Json;
using Dapper;
using DroneDelivery.Database;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>
/// A file that is temporarily not writable. The connection pool belongs to the process, so the test can simulate a
/// failing disk.
/// </summary>
public sealed class SqliteTests() : WithPackages(writeTimeout: "00:00:02")
{
    [Fact]
    public async Task Connections_that_cannot_write_are_dropped()
    {
        await Http.HealthyAsync("database");
        await PoisonAsync();
        await PutAsync(HttpStatusCode.ServiceUnavailable);
        await PutAsync(HttpStatusCode.Created);

        await PoisonAsync();
        Assert.Equal("Degraded", (await Http.CheckAsync("database")).Status);
        await Http.HealthyAsync("database");
        await PutAsync(HttpStatusCode.Created, "p2");
    }

    [Fact]
    public async Task Failed_transaction_changes_nothing()
    {
        await PutAsync(HttpStatusCode.Created, "before");
        var database = Service.Host.Services.GetRequiredService<SqlDatabase>();

        await Assert.ThrowsAsync<InvalidOperationException>(() =>
            database.TransactionAsync<int>(
                "key",
                async session =>
                {
                    await session.ExecuteAsync("delete from packages", null);
                    throw new InvalidOperationException("half way");
                },
                Cancelled
            )
        );

        await PutAsync(HttpStatusCode.Created, "after");
        await PutAsync(HttpStatusCode.OK, "before");
    }

    [Fact]
    public async Task Successful_reads_do_not_end_an_outage_of_writes()
    {
        await PutAsync(HttpStatusCode.Created, "before");
        await using (var writer = await LockAsync())
        {
            var problem = await PutTooLongAsync();
            Assert.Equal("urn:drone-delivery:database-unavailable", problem.GetProperty("type").GetString());
            (await Http.SendAsync(HttpMethod.Get, "/api/packages/before")).EnsureSuccessStatusCode();
            await PutTooLongAsync();
            Assert.Empty(Service.Host.Logs.With("database recovered."));
        }
        await PutAsync(HttpStatusCode.Created);

        Assert.Single(Service.Host.Logs.With("Database:WriteTimeout"));
        Assert.Single(Service.Host.Logs.With("Writing to the database recovered."));
    }

    [Fact]
    public async Task Write_that_waits_too_long_for_another_returns_503()
    {
        var (begun, end) = (new TaskCompletionSource(), new TaskCompletionSource<int>());
        var other = Service
            .Host.Services.GetRequiredService<SqlDatabase>()
            .TransactionAsync(
                "key",
                _ =>
                {
                    begun.SetResult();
                    return end.Task;
                },
                Cancelled
            );
        await begun.Task;

        await PutTooLongAsync();
        end.SetResult(0);

        await other;
        await PutAsync(HttpStatusCode.Created);
    }

    [Fact]
    public async Task Write_timeout_covers_both_the_queue_and_the_file_lock()
    {
        await Http.HealthyAsync("database");
        var limit = TimeSpan.FromSeconds(2);
        await using var writer = await LockAsync();
        var first = PutAsync(HttpStatusCode.ServiceUnavailable);
        await Eventually.TrueAsync(() => Service.Time.HasTimerDueIn(limit));
        Service.Time.Advance(limit / 4);
        var second = PutAsync(HttpStatusCode.ServiceUnavailable, "p2"); // Waits in the queue, and then for the lock.
        await Eventually.TrueAsync(() => Service.Time.HasTimerDueIn(limit));

        Service.Time.Advance(limit - limit / 4);
        await first;
        Service.Time.Advance(limit / 4);

        await second.WaitAsync(TimeSpan.FromMinutes(1), Cancelled);
    }

    /// <summary>
    /// Simulates connections that were opened while the file was read-only: they respond, but reject writes (error 8).
    /// </summary>
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
        var writer = new SqliteConnection($"{Service.Settings["Database:ConnectionString"]};Pooling=False");
        await writer.OpenAsync(Cancelled);
        await writer.ExecuteAsync("BEGIN IMMEDIATE");
        return writer;
    }

    private async Task<SqliteConnection> OpenAsync()
    {
        var connection = new SqliteConnection(Service.Settings["Database:ConnectionString"]);
        await connection.OpenAsync(Cancelled);
        return connection;
    }

    /// <summary>Advances the clock only while a write is blocked, so that no other write times out.</summary>
    private async Task<JsonElement> PutTooLongAsync()
    {
        var put = PutAsync(HttpStatusCode.ServiceUnavailable);
        await Eventually.TrueAsync(() =>
        {
            Service.Time.Advance(TimeSpan.FromSeconds(1));
            return put.IsCompleted;
        });
        return await put;
    }

    private async Task<JsonElement> PutAsync(HttpStatusCode expected, string id = "p1")
    {
        using var response = await Http.PutAsync($"/api/packages/{id}", Packages.Sample);
        return await response.ReadAsync<JsonElement>(expected);
    }
}
