namespace DroneDelivery.Database.Migrations;

internal sealed class MigrationException(string message, Exception? inner = null) : Exception(message, inner);
