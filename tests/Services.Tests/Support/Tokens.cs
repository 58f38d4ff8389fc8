using System.Text.Json;
using Microsoft.IdentityModel.JsonWebTokens;
using Microsoft.IdentityModel.Tokens;

namespace DroneDelivery.Services.Tests.Support;

/// <summary>
/// Tokens in the format of <c>dotnet user-jwts</c>: signed (HMAC-SHA256) with a key from the service's settings.
/// </summary>
internal static class Tokens
{
    public const string Audience = "drone-delivery";

    private const string Issuer = "dotnet-user-jwts";

    private static readonly JsonWebTokenHandler Handler = new() { SetDefaultTimesOnTokenCreation = false };
    private static readonly byte[] Key = Enumerable.Range(1, 32).Select(number => (byte)number).ToArray();

    /// <summary>
    /// The settings that <c>dotnet user-jwts create</c> writes to appsettings.Development.json and the user secrets.
    /// </summary>
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

    /// <summary>
    /// Returns a token that is valid except for the given changes. A <c>null</c> value removes a claim.
    /// </summary>
    public static string Of(string subject, params (string Claim, object? Value)[] changes) =>
        Of(subject, SignedWith(Key), changes);

    /// <summary>Returns a token of an application with the service role.</summary>
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
