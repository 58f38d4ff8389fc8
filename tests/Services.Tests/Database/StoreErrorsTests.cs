using Dapper;
using DroneDelivery.Contracts;
using DroneDelivery.Database;
using DroneDelivery.Package;
using DroneDelivery.Services.Tests.Package;
using DroneDelivery.Testing;
using Npgsql;

namespace DroneDelivery.Services.Tests.Database;

/// <summary>
/// A store that rejects its service is unavailable, so no caller attributes the error to its own request.
/// </summary>
public sealed class StoreErrorsTests(SharedPostgres server) : IClassFixture<SharedPostgres>
{
    [Theory]
    [InlineData("postgres", "alter role package nologin", "alter role package login")] // 28000
    [InlineData("postgres", "alter database store rename to old", "alter database old rename to store")] // 3D000
    [InlineData("postgres", "alter database store connection limit 0", "alter database store connection limit -1")] // 53300
    [InlineData("store", "alter table packages owner to lab", "alter table packages owner to package", false)] // 42501
    [InlineData("store", "alter table packages rename to gone", "alter table gone rename to packages", false)] // 42P01
    [InlineData("store", "alter table packages rename version to v", "alter table packages rename v to version", false)] // 42703
    public async Task Store_that_rejects_its_service_is_unavailable_until_fixed(
        string database,
        string begin,
        string end,
        bool closes = true
    )
    {
        await CreateStoreAsync();
        await using var service = ServiceHost<PackageStore>.Start(
            new()
            {
                ["Database:ConnectionString"] = ConnectionOf("store", "package"),
                ["Database:WriteTimeout"] = "00:01:00",
            }
        );
        await service.Http.HealthyAsync("database");
        var isColumn = begin.Contains("version", StringComparison.Ordinal);

        if (closes)
            await CloseAsync();
        await ExecuteAsync(begin, database);
        if (closes)
            await CloseAsync();
        for (var i = 0; i < 2; i++)
        {
            using var put = await service.Http.PutAsync("/api/packages/p1", Packages.Sample);
            await put.ReadUnavailableAsync("database-unavailable");
            using var get = await service.Http.SendAsync(HttpMethod.Get, "/api/packages/p1");
            await get.ReadUnavailableAsync("database-unavailable");
        }
        if (!isColumn)
            Assert.Equal("Degraded", (await service.Http.CheckAsync("database")).Status);

        await ExecuteAsync(end, database);
        await Eventually.TrueAsync(async () =>
            (await service.Http.PutAsync("/api/packages/p1", Packages.Sample)).IsSuccessStatusCode
        );
        await service.Http.HealthyAsync("database");
    }

    [Fact]
    public async Task Canceled_statement_is_unavailable()
    {
        await CreateStoreAsync();
        await using var service = ServiceHost<PackageStore>.Start(
            new()
            {
                ["Database:ConnectionString"] = ConnectionOf("store", "package"),
                ["Database:WriteTimeout"] = "00:01:00",
            }
        );
        (await service.Http.PutAsync("/api/packages/p1", Packages.Sample)).EnsureSuccessStatusCode();
        await using var other = new NpgsqlConnection(ConnectionOf("store", "lab"));
        await other.OpenAsync(Cancelled);
        await using var transaction = await other.BeginTransactionAsync(Cancelled);
        await other.ExecuteAsync("select 1 from packages for update");

        var patch = service.Http.PatchAsync("/api/packages/p1", new PackagePatch { Weight = 2 });
        await Eventually.TrueAsync(async () =>
            await other.ExecuteScalarAsync<int>(
                "select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event_type = 'Lock'"
            ) == 1
        );

        await (await patch).ReadUnavailableAsync("database-unavailable");
    }

    [Theory]
    [InlineData("08006")]
    [InlineData("25006")]
    [InlineData("28P01")]
    [InlineData("40001")]
    [InlineData("55P03")]
    [InlineData("57P01")]
    [InlineData("57P03")]
    [InlineData("XX000")]
    public void Errors_of_the_server_make_the_store_unavailable(string state) =>
        Assert.True(StoreErrors.IsUnavailable(ErrorWith(state)));

    [Theory]
    [InlineData("22003")]
    [InlineData("23505")]
    [InlineData("54000")]
    [InlineData("P0001")]
    public void Errors_about_data_leave_the_store_available(string state) =>
        Assert.False(StoreErrors.IsUnavailable(ErrorWith(state)));

    private static PostgresException ErrorWith(string state) => new("message", "ERROR", "ERROR", state);

    /// <summary>Creates an empty store and its role, regardless of earlier tests.</summary>
    private Task CreateStoreAsync()
    {
        Assert.SkipUnless(PostgresFixture.IsInstalled, PostgresFixture.HowToInstall);
        return ExecuteAsync(
            "drop database if exists store with (force); drop database if exists old with (force);"
                + "drop role if exists package; create role package login; create database store owner package"
        );
    }

    private string ConnectionOf(string database, string role) =>
        new NpgsqlConnectionStringBuilder(server.ConnectionString)
        {
            Database = database,
            Username = role,
        }.ConnectionString;

    private Task CloseAsync() =>
        ExecuteAsync("select pg_terminate_backend(pid) from pg_stat_activity where datname = 'store'");

    private async Task ExecuteAsync(string sql, string database = "postgres")
    {
        await using var connection = new NpgsqlConnection($"{ConnectionOf(database, "lab")};Pooling=False");
        foreach (var statement in sql.Split(';')) // A database can't be created inside a transaction.
            await connection.ExecuteAsync(statement);
    }
}
