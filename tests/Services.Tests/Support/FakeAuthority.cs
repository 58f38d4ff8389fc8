using System.Security.Cryptography;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.IdentityModel.Tokens;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>A minimal OpenID Connect issuer: its metadata document and its public key.</summary>
internal sealed class FakeAuthority : FakeServer
{
    private readonly RSA _key = RSA.Create(2048);

    private FakeAuthority()
        : base(LocalServer.Build())
    {
        App.MapGet("/.well-known/openid-configuration", () => Answers ? Results.Ok(Document) : Results.StatusCode(503));
        var key = JsonWebKeyConverter.ConvertFromRSASecurityKey(
            new(_key.ExportParameters(includePrivateParameters: false))
        );
        App.MapGet("/keys", () => new
            {
                keys = new[]
                {
                    new
                    {
                        kty = "RSA",
                        use = "sig",
                        n = key.N,
                        e = key.E,
                    },
                },
            });
    }

    public bool Answers { get; set; } = true;

    public Dictionary<string, string?> Settings =>
        new()
        {
            ["Authentication:Enabled"] = "true",
            ["Authentication:Authority"] = Address,
            ["Authentication:Audience"] = Tokens.Audience,
        };

    private Dictionary<string, string> Document => new() { ["issuer"] = Address, ["jwks_uri"] = $"{Address}/keys" };

    public static Task<FakeAuthority> StartAsync() => StartAsync(new FakeAuthority());

    public string TokenOf(string subject, params (string Claim, object? Value)[] changes) =>
        Tokens.Of(subject, new(new RsaSecurityKey(_key), SecurityAlgorithms.RsaSha256), [("iss", Address), .. changes]);

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _key.Dispose();
    }
}
