namespace DroneDelivery.Tracking;

/// <summary>The cookie that identifies a recipient.</summary>
internal static class ReaderCookie
{
    public const string Name = "trackingId";

    /// <summary>Far below the limits of entity properties and headers.</summary>
    public const int MaxLength = 256;

    private static readonly TimeSpan Life = TimeSpan.FromDays(365);

    /// <summary>Returns the recipient's id, and creates one if necessary.</summary>
    public static string Of(HttpContext context)
    {
        if (context.Request.Cookies.TryGetValue(Name, out var known) && known.Length > 0)
            return known;
        var id = Guid.NewGuid().ToString();
        context.Response.Cookies.Append(
            Name,
            id,
            new CookieOptions
            {
                HttpOnly = true,
                // Browsers send only such cookies with images of another site, as in an email. The scheme of this request doesn't matter,
                // because TLS may end at a proxy.
                SameSite = SameSiteMode.None,
                Secure = true,
                MaxAge = Life,
            }
        );
        return id;
    }

    /// <summary>Validates the id, because clients can send any value, and others read it.</summary>
    public static bool IsValid(string id) => id.Length <= MaxLength && !id.Any(char.IsControl);
}
