using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Azure.Core;
using Azure.Identity;
using DroneDelivery.Database;
using Npgsql;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>Log-in with an identity, seen by a PostgreSQL that asks for the password and hangs up.</summary>
public sealed class PostgresLogInTests
{
    // AuthenticationCleartextPassword: type, length, 3.
    private static readonly byte[] AskForPassword = [(byte)'R', 0, 0, 0, 8, 0, 0, 0, 3];

    [Fact]
    public async Task Every_connection_logs_in_with_the_token_of_its_time()
    {
        using var server = new TcpListener(IPAddress.Loopback, 0);
        var tokens = 0;
        using var engine = EngineFor(server, () => new($"token-{++tokens}", DateTimeOffset.MaxValue));

        Assert.Equal("token-1", await LogInAsync(engine, server));
        Assert.Equal("token-2", await LogInAsync(engine, server));
    }

    [Fact]
    public async Task Identity_without_a_token_makes_the_store_unavailable()
    {
        using var server = new TcpListener(IPAddress.Loopback, 0);
        using var engine = EngineFor(server, () => throw new AuthenticationFailedException("No token."));

        var opening = engine.OpenAsync(Cancelled);
        using var client = await server.AcceptTcpClientAsync(Cancelled);
        await client.GetStream().WriteAsync(AskForPassword, Cancelled);

        var failure = await Assert.ThrowsAnyAsync<Exception>(() => opening);
        Assert.True(StoreErrors.IsUnavailable(failure), $"{failure}");
    }

    private static PostgresEngine EngineFor(TcpListener server, Func<AccessToken> getToken)
    {
        server.Start();
        var settings = new NpgsqlConnectionStringBuilder
        {
            Host = "127.0.0.1",
            Port = ((IPEndPoint)server.LocalEndpoint).Port,
            Username = "drone-package",
            SslMode = SslMode.Disable,
            GssEncryptionMode = GssEncryptionMode.Disable,
        };
        return new(settings.ConnectionString, TimeSpan.FromMinutes(1), new Identity((_, _) => getToken()));
    }

    private static async Task<string> LogInAsync(PostgresEngine engine, TcpListener server)
    {
        var password = TakePasswordAsync(server);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => engine.OpenAsync(Cancelled));
        return await password;
    }

    private static async Task<string> TakePasswordAsync(TcpListener server)
    {
        using var client = await server.AcceptTcpClientAsync(Cancelled);
        await using var stream = client.GetStream();
        await ReadMessageAsync(stream); // the startup message alone has no type
        await stream.WriteAsync(AskForPassword, Cancelled);
        await stream.ReadExactlyAsync(new byte[1], Cancelled);
        return Encoding.ASCII.GetString(await ReadMessageAsync(stream)).TrimEnd('\0');
    }

    /// <summary>A length, which counts itself, and so many bytes.</summary>
    private static async Task<byte[]> ReadMessageAsync(NetworkStream stream)
    {
        var length = new byte[4];
        await stream.ReadExactlyAsync(length, Cancelled);
        var body = new byte[BinaryPrimitives.ReadInt32BigEndian(length) - length.Length];
        await stream.ReadExactlyAsync(body, Cancelled);
        return body;
    }
}
