using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Azure.Core;
using Azure.Identity;
using DroneDelivery.Database;
using Npgsql;

namespace DroneDelivery.Services.Tests.Package;

/// <summary>
/// Authentication with a managed identity, seen by a PostgreSQL server that requests the password and disconnects.
/// </summary>
public sealed class PostgresLogInTests
{
    // AuthenticationCleartextPassword: type, length, 3.
    private static readonly byte[] AskForPassword = [(byte)'R', 0, 0, 0, 8, 0, 0, 0, 3];

    [Fact]
    public async Task Every_connection_authenticates_with_the_current_token()
    {
        using var server = new TcpListener(IPAddress.Loopback, 0);
        var tokens = 0;
        using var engine = EngineFor(server, () => new($"token-{++tokens}", DateTimeOffset.MaxValue));

        Assert.Equal("token-1", await AuthenticateAsync(engine, server));
        Assert.Equal("token-2", await AuthenticateAsync(engine, server));
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

    private static async Task<string> AuthenticateAsync(PostgresEngine engine, TcpListener server)
    {
        var password = TakePasswordAsync(server);
        await Assert.ThrowsAnyAsync<NpgsqlException>(() => engine.OpenAsync(Cancelled));
        return await password;
    }

    private static async Task<string> TakePasswordAsync(TcpListener server)
    {
        using var client = await server.AcceptTcpClientAsync(Cancelled);
        await using var stream = client.GetStream();
        await ReadMessageAsync(stream); // Only the startup message has no type.
        await stream.WriteAsync(AskForPassword, Cancelled);
        await stream.ReadExactlyAsync(new byte[1], Cancelled);
        return Encoding.ASCII.GetString(await ReadMessageAsync(stream)).TrimEnd('\0');
    }

    /// <summary>A length, which includes itself, and that number of bytes.</summary>
    private static async Task<byte[]> ReadMessageAsync(NetworkStream stream)
    {
        var length = new byte[4];
        await stream.ReadExactlyAsync(length, Cancelled);
        var body = new byte[BinaryPrimitives.ReadInt32BigEndian(length) - length.Length];
        await stream.ReadExactlyAsync(body, Cancelled);
        return body;
    }
}
