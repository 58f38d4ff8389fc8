using System.Text.Json;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>Tokens as <c>dotnet user-jwts</c> makes them: signed with a key (HMAC-SHA256) that the service has in its settings.</summary>
internal static class Tokens
{
    public const string Audience = "drone-delivery";

    private const string Issuer = "dotnet-user-jwts";

    private static readonly JsonWebTokenHandler Handler = new() { SetDefaultTimesOnTokenCreation = false };
    private static readonly byte[] Key = Enumerable.Range(1, 32).Select(number => (byte)number).ToArray();

    /// <summary>What <c>dotnet user-jwts create</c> leaves in appsettings.Development.json and in the user's secrets.</summary>
    public static Dictionary<string, string?> Settings =>
        new()
        {
            ["Authentication:Enabled"] = "true",
            ["Authentication:Schemes:Bearer:ValidIssuer"] = Issuer,
            ["Authentication:Schemes:Bearer:ValidAudiences:0"] = Audience,
            ["Authentication:Schemes:Bearer:SigningKeys:0:Id"] = "1",
            ["Authentication:Schemes:Bearer:SigningKeys:0:Issuer"] = Issuer,
            ["Authentication:Schemes:Bearer:SigningKeys:0:Value"] = Convert.ToBase64String(Key),
            ["Authentication:Schemes:Bearer:SigningKeys:0:Length"] = "32",
        };

    /// <summary>Valid, but for what a test changes: a null takes a claim away.</summary>
    public static string Of(string subject, params (string Claim, object? Value)[] changes) =>
        Of(subject, SignedWith(Key), changes);

    /// <summary>As an application has it that was given the role of the services.</summary>
    public static string OfService(string subject) => Of(subject, ("roles", new[] { "Service" }));

    public static string OfAnotherKey(string subject) => Of(subject, SignedWith(new byte[32]), []);

    public static string Of(string subject, SigningCredentials? signature, (string Claim, object? Value)[] changes)
    {
        var now = TimeProvider.System.GetUtcNow().ToUnixTimeSeconds();
        var claims = new Dictionary<string, object?>
        {
            ["sub"] = subject,
            ["iss"] = Issuer,
            ["aud"] = Audience,
            ["nbf"] = now - 60,
            ["exp"] = now + 3_600,
        };
        foreach (var (claim, value) in changes)
            claims[claim] = value;
        var content = JsonSerializer.Serialize(claims.Where(claim => claim.Value is not null).ToDictionary());
        return signature is null ? Handler.CreateToken(content) : Handler.CreateToken(content, signature);
    }

    private static SigningCredentials SignedWith(byte[] key) =>
        new(new SymmetricSecurityKey(key), SecurityAlgorithms.HmacSha256);
}
