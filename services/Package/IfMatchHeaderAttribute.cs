using System.ComponentModel.DataAnnotations;
using Microsoft.Net.Http.Headers;

namespace DroneDelivery.Package;

[AttributeUsage(AttributeTargets.Parameter)]
internal sealed class IfMatchHeaderAttribute : ValidationAttribute
{
    /// <summary>Each tag is a parameter of the SQL statement, which gets slow with thousands.</summary>
    private const int MostTags = 100;

    public IfMatchHeaderAttribute()
        : base($"{{0}} must be at most {MostTags} ETags as an answer gave them, with their quotation marks, or *.") { }

    public override bool IsValid(object? value) =>
        value is null
        || EntityTagHeaderValue.TryParseStrictList([(string)value], out var tags) && tags.Count <= MostTags;
}
