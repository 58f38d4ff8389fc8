using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Tracking.Validation;

/// <summary>A text that Table Storage takes for the key of a partition or of a row.</summary>
[AttributeUsage(AttributeTargets.Parameter)]
internal sealed class EntityKeyAttribute() : ValidationAttribute(Rule)
{
    /// <summary>1 KiB in UTF-16.</summary>
    public const int MaxLength = 512;

    private const string Rule = "Required: 1 to 512 characters, none of / \\ # ? and no control characters.";

    public static bool IsKey(string? text) => text is { Length: > 0 and <= MaxLength } && !text.Any(IsForbidden);

    public override bool IsValid(object? value) => IsKey(value as string);

    private static bool IsForbidden(char character) => character is '/' or '\\' or '#' or '?' || char.IsControl(character);
}
